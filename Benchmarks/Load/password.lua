-- SPDX-License-Identifier: Apache-2.0
-- Signs in by password, one account after the other.
local load = dofile(os.getenv("FAREWELL_LOAD") .. "/load.lua")
setup = load.setup
done = load.done

function init(arguments)
    accounts = load.share(arguments[1], 1)
    password = arguments[2]
    place = 0
end

function request()
    place = place % #accounts + 1
    return wrk.format("POST", "/auth/v1/token?grant_type=password", load.json,
        '{"email":"' .. accounts[place] .. '","password":"' .. password .. '"}')
end

function response(status)
    if status == 200 then load.answered() else load.refused(status) end
end

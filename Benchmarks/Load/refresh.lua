-- SPDX-License-Identifier: Apache-2.0
-- Each thread has one connection and sessions of its own, and keeps the tokens that it gets.
local load = dofile(os.getenv("FAREWELL_LOAD") .. "/load.lua")
setup = load.setup
done = load.done

function init(arguments)
    tokens = load.share(arguments[1], 2)
    place = 0
end

function request()
    place = place % #tokens + 1
    return wrk.format("POST", "/auth/v1/token?grant_type=refresh_token", load.json,
        '{"refresh_token":"' .. tokens[place] .. '"}')
end

function response(status, headers, body)
    local next = status == 200 and body:match('"refresh_token":"([^"]+)"')
    if next then
        tokens[place] = next
        load.answered()
    else
        load.refused(status)
    end
end

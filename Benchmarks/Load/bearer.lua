-- SPDX-License-Identifier: Apache-2.0
-- METHOD PATH STATUS [once]: the same call with one access token after the other; with `once`, until there are no more.
local load = dofile(os.getenv("FAREWELL_LOAD") .. "/load.lua")
setup = load.setup
done = load.done

function init(arguments)
    tokens = load.share(arguments[1], 1)
    method, path, wanted, once = arguments[2], arguments[3], tonumber(arguments[4]), arguments[5] == "once"
    place = 0
    asked = {}
end

function request()
    place = place + 1
    if place > #tokens then place = 1 end
    if once or not asked[place] then
        local text = wrk.format(method, path, { Authorization = "Bearer " .. tokens[place] })
        if once then return text end
        asked[place] = text
    end
    return asked[place]
end

function response(status)
    if status == wanted then load.answered() else load.refused(status) end
    if once and place >= #tokens then wrk.thread:stop() end
end

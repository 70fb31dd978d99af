-- SPDX-License-Identifier: Apache-2.0
-- Each thread keeps the tokens of its sessions in a queue: it uses the first, and appends the new one.
local load = dofile(os.getenv("FAREWELL_LOAD") .. "/load.lua")
setup = load.setup
done = load.done

function init(arguments)
    tokens = load.share(arguments[1], 2)
    first, last = 1, #tokens
end

function request()
    local token = tokens[first]
    tokens[first] = nil
    first = first + 1
    return wrk.format("POST", "/auth/v1/token?grant_type=refresh_token", load.json,
        '{"refresh_token":"' .. token .. '"}')
end

function response(status, headers, body)
    local next = status == 200 and body:match('"refresh_token":"([^"]+)"')
    if next then
        last = last + 1
        tokens[last] = next
        load.answered()
    else
        load.refused(status)
    end
end

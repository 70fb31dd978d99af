-- SPDX-License-Identifier: Apache-2.0
-- The shared part of the loads: each thread's lines of a file, counting, and one line at the end.
local load = {}
local threads = {}

load.json = { ["Content-Type"] = "application/json" }

function load.setup(thread)
    thread:set("number", #threads)
    thread:set("good", 0)
    thread:set("busy", 0)
    thread:set("bad", 0)
    thread:set("threadCount", tonumber(os.getenv("FAREWELL_THREADS")))
    table.insert(threads, thread)
end

-- The word at `column` of every line that belongs to this thread.
function load.share(file, column)
    local mine, line = {}, 0
    for text in io.lines(file) do
        if line % threadCount == number then
            local words = {}
            for word in text:gmatch("%S+") do table.insert(words, word) end
            table.insert(mine, words[column])
        end
        line = line + 1
    end
    return mine
end

function load.answered() good = good + 1 end

-- 429 and 503 mean that the server has enough to do; anything else was not expected.
function load.refused(status)
    if status == 429 or status == 503 then busy = busy + 1 else bad = bad + 1 end
end

function load.done(summary, latency)
    local sums = { good = 0, busy = 0, bad = 0 }
    for _, thread in ipairs(threads) do
        for name in pairs(sums) do sums[name] = sums[name] + thread:get(name) end
    end
    local errors = summary.errors
    io.write(string.format("RESULT %d %d %d %d %d %d\n", sums.good, sums.busy,
        sums.bad + errors.connect + errors.read + errors.write + errors.timeout, summary.duration,
        latency:percentile(50), latency:percentile(99)))
end

return load

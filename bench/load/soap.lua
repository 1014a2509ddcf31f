-- Sends one message over and over. Where it has a place for an address, each one gets a new address: BENCH_TAG makes it
-- unique among runs, the number among requests, and its leading digits scatter it over the index as real ones are.
-- BENCH_PAUSE_MS waits before each request. What was measured is written to BENCH_RESULT as JSON.
local file = os.getenv("BENCH_MESSAGE")
local pause = tonumber(os.getenv("BENCH_PAUSE_MS") or "0")
local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("thread_number", threads)
end

local head, tail, sent, place

function init(args)
  if file == nil then return end
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "text/xml; charset=utf-8"
  local opened = assert(io.open(file, "rb"))
  local message = opened:read("*a")
  opened:close()
  local tag = string.format("-%s-%d@example.org", os.getenv("BENCH_TAG") or "", thread_number)
  -- As long as every address will be, so that the Content-Length holds for all.
  local body, places = message:gsub("{address}", string.rep("#", 16) .. tag)
  local request = wrk.format(nil, nil, nil, body)
  if places == 0 then
    head, sent = request, nil
  else
    local from, to = request:find(string.rep("#", 16), 1, true)
    head, tail, sent = request:sub(1, from - 1), request:sub(to + 1), 0
  end
end

if file ~= nil then
  function request()
    if sent == nil then return head end
    sent = sent + 1
    return head .. string.format("%08x%08x", (sent * 2654435761) % 4294967296, sent) .. tail
  end
end

if pause > 0 then
  function delay() return pause end
end

function done(summary, latency, requests)
  local errors = summary.errors
  local out = assert(io.open(os.getenv("BENCH_RESULT"), "w"))
  out:write(string.format(
    '{"requests":%d,"microseconds":%d,"bytes":%d,"failed":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d},"p50":%d,"p99":%d,"max":%d}',
    summary.requests, summary.duration, summary.bytes, errors.connect, errors.read, errors.write, errors.status,
    errors.timeout, latency:percentile(50), latency:percentile(99), latency.max))
  out:close()
end

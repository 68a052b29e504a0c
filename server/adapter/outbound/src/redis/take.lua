-- Takes one call of a limit a minute, or refuses it: GCRA with the limit as burst, on this server's clock.
-- KEYS[1]: the limit; it holds the moment at which its whole burst is free again, as seconds and nanoseconds.
-- ARGV[1]: calls a minute.
-- Answers: whether it is taken, calls left, nanoseconds until the burst is free (taken) or a call fits (refused).
local second, window = 1000000000, 60000000000
local limit = tonumber(ARGV[1])
local share = math.floor(window / math.max(limit, 1))
local time = redis.call('TIME')
local now_s, now_ns = tonumber(time[1]), tonumber(time[2]) * 1000

local ahead = 0
local stored = redis.call('GET', KEYS[1])
if stored then
  local s, ns = string.match(stored, '^(%d+) (%d+)$')
  -- A clock that went back never refuses for longer than the window.
  ahead = math.max(0, math.min(window, (tonumber(s) - now_s) * second + tonumber(ns) - now_ns))
end

local next_ahead = ahead + share
local spare = window - next_ahead
if limit == 0 then
  return {0, 0, ahead}
end
if spare < 0 then
  return {0, 0, -spare}
end
local free = now_ns + next_ahead
local moment = string.format('%d %d', now_s + math.floor(free / second), free % second)
redis.call('SET', KEYS[1], moment, 'PX', math.ceil(next_ahead / 1000000) + 1000)
return {1, math.floor(spare / share), next_ahead}

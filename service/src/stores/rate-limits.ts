import { createHash } from 'node:crypto'
import { ErrorReply } from '@redis/client'
import type { RedisClient, RedisConnection } from './redis-connection.ts'

export interface RateRules {
  readonly rpm: number
  readonly burst: number
}

export interface RateVerdict {
  readonly isAllowed: boolean
  /** How many more would be allowed at this moment. */
  readonly remaining: number
  /** When the next one would be allowed; 0 if now. */
  readonly retryAfterMs: number
  /** When everything is forgotten. */
  readonly resetMs: number
}

/**
 * GCRA: the whole state is the instant at which the bucket is empty again. A refused call changes nothing. The clock
 * is that of Redis, so those of the nodes don't matter; the instant is capped when read, so that a clock that was
 * set back locks nobody out. What was allowed while Redis was away is owed, and is brought along by the first call.
 */
const TAKE = `
if redis.call('EXISTS', KEYS[2]) == 1 then return {-1, 0, 0, 0} end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, window, owed = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local empty = math.max(now + owed, tonumber(redis.call('GET', KEYS[1]) or now))
empty = math.min(empty, now + window)
local after = empty + interval
local allowedAt = after - window
if allowedAt > now then return {0, 0, allowedAt - now, empty - now} end
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
return {1, math.floor((now - allowedAt) / interval), 0, after - now}`
const TAKE_SHA = createHash('sha1').update(TAKE).digest('hex')

const MINUTE_MICROS = 60_000_000
const MARK_SECONDS = 86_400

/** How often accounts call, on all nodes together. Every call throws `RedisUnavailable` rather than wait. */
export class RateLimits {
  readonly #redis: RedisConnection

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  /** One call of one account, and whether its key was revoked, in one round trip. */
  async take(accountId: string, keyHash: string, rules: RateRules, owedMs = 0): Promise<RateVerdict | 'revoked'> {
    const intervalMicros = Math.ceil(MINUTE_MICROS / rules.rpm)
    const operands = [
      '2',
      `rate:${accountId}`,
      revocationKey(keyHash),
      String(intervalMicros),
      String(intervalMicros * rules.burst),
      String(Math.ceil(owedMs * 1_000)),
    ]
    const answer = await this.#redis.ask((client) => runTake(client, operands))
    const [allowed = 0, remaining = 0, retryAfterMicros = 0, resetMicros = 0] = answer
    if (allowed < 0) return 'revoked'
    return {
      isAllowed: allowed === 1,
      remaining,
      retryAfterMs: retryAfterMicros / 1_000,
      resetMs: resetMicros / 1_000,
    }
  }

  /** Seen by the next call on every node. For longer than any node remembers a key. */
  async markRevoked(keyHash: string): Promise<void> {
    await this.#redis.ask((client) =>
      client.set(revocationKey(keyHash), '1', { expiration: { type: 'EX', value: MARK_SECONDS } }),
    )
  }
}

function revocationKey(keyHash: string): string {
  return `rv:${keyHash}`
}

async function runTake(client: RedisClient, operands: readonly string[]): Promise<number[]> {
  try {
    return await client.sendCommand<number[]>(['EVALSHA', TAKE_SHA, ...operands])
  } catch (error) {
    // A server that was restarted has forgotten its scripts.
    if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error
    return client.sendCommand<number[]>(['EVAL', TAKE, ...operands])
  }
}

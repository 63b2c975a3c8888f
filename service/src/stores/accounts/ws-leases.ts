import type { RedisConnection } from '../engines/redis-connection.ts'
import { RedisScript } from '../engines/redis-script.ts'

/** Uses the clock of Redis, because the clocks of the nodes differ. Removes expired leases before it counts. */
const TAKE = new RedisScript<number>(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local isHeld = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not isHeld and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`)

/** The connections of a killed node count for this long. */
export const LEASE_MS = 9_000

/** Open WebSocket connections of each account on all nodes together. Methods throw `RedisUnavailable` instead of waiting for Redis. */
export class WsLeases {
  readonly #redis: RedisConnection
  readonly #leaseMs: number

  constructor(redis: RedisConnection, options: { leaseMs?: number } = {}) {
    this.#redis = redis
    this.#leaseMs = options.leaseMs ?? LEASE_MS
  }

  /** Takes or renews a lease; false when the account has `most` leases. */
  async hold(accountId: string, connectionId: string, most: number): Promise<boolean> {
    const operands = [connectionId, String(most), String(this.#leaseMs)]
    return (await this.#redis.ask((client) => TAKE.run(client, [keyOf(accountId)], operands))) === 1
  }

  async release(accountId: string, connectionId: string): Promise<void> {
    await this.#redis.ask((client) => client.zRem(keyOf(accountId), connectionId))
  }
}

function keyOf(accountId: string): string {
  return `ws:{${accountId}}`
}

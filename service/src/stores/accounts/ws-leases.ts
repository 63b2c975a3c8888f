import { createHash } from 'node:crypto'
import { ErrorReply } from '@redis/client'
import type { RedisClient, RedisConnection } from '../engines/redis-connection.ts'

/** Uses the clock of Redis, because the clocks of the nodes differ. Removes expired leases before it counts. */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local isHeld = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not isHeld and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`
const TAKE_SHA = createHash('sha1').update(TAKE).digest('hex')

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
    const operands = ['1', keyOf(accountId), connectionId, String(most), String(this.#leaseMs)]
    return (await this.#redis.ask((client) => runTake(client, operands))) === 1
  }

  async release(accountId: string, connectionId: string): Promise<void> {
    await this.#redis.ask((client) => client.zRem(keyOf(accountId), connectionId))
  }
}

function keyOf(accountId: string): string {
  return `ws:${accountId}`
}

async function runTake(client: RedisClient, operands: readonly string[]): Promise<number> {
  try {
    return await client.sendCommand<number>(['EVALSHA', TAKE_SHA, ...operands])
  } catch (error) {
    // A restart of Redis empties its script cache.
    if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error
    return client.sendCommand<number>(['EVAL', TAKE, ...operands])
  }
}

import { z } from 'zod'
import type { RedisConnection } from '../engines/redis-connection.ts'
import { RedisScript } from '../engines/redis-script.ts'

/** The session of one browser. */
export const StoredSession = z.strictObject({
  accountId: z.string(),
  email: z.string().optional(),
  name: z.string().optional(),
  /** Sent to the identity provider at sign-out to name the session. */
  idToken: z.string(),
  beganAtMs: z.number(),
  usedAtMs: z.number(),
})
export type StoredSession = z.infer<typeof StoredSession>

/** A sign-in that was started: the identity provider must return the same state and nonce. */
export const PendingSignIn = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  beganAtMs: z.number(),
})
export type PendingSignIn = z.infer<typeof PendingSignIn>

const BEGIN = new RedisScript(`
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[3], '1', 'PX', ARGV[2])
redis.call('SADD', KEYS[2], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[3])`)
const UPDATE = new RedisScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], '1', 'PX', ARGV[2])`)
const END = new RedisScript(`
redis.call('DEL', KEYS[1], KEYS[3])
redis.call('SREM', KEYS[2], ARGV[1])`)
/** One atomic step, so that a concurrent sign-in happens either before or after it. */
const END_ALL = new RedisScript<number>(`
local hashes = redis.call('SMEMBERS', KEYS[1])
for _, hash in ipairs(hashes) do redis.call('DEL', ARGV[1] .. hash, ARGV[2] .. hash) end
redis.call('DEL', KEYS[1])
return #hashes`)

/**
 * Sessions by the hash of the browser's cookie, so that stored data cannot be used to sign in. The sessions of an
 * account are on one node of a cluster; a second key tells to whom the cookie belongs. Throws `RedisUnavailable`.
 */
export class SessionStore {
  readonly #redis: RedisConnection

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  async insert(hash: string, session: StoredSession, idleMs: number, longestMs: number): Promise<void> {
    const { accountId } = session
    await this.#redis.ask(async (client) => {
      await client.set(ownerKey(hash), accountId, { expiration: { type: 'PX', value: longestMs } })
      const operands = [JSON.stringify(session), String(idleMs), String(longestMs), hash]
      await BEGIN.run(client, keysOf(accountId, hash), operands)
    })
  }

  async find(hash: string): Promise<StoredSession | undefined> {
    const text = await this.#redis.ask(async (client) => {
      const accountId = await client.get(ownerKey(hash))
      return accountId === null ? null : client.get(sessionKey(accountId, hash))
    })
    return text === null ? undefined : StoredSession.parse(JSON.parse(text))
  }

  /** Does not restore a session that has ended. */
  async update(hash: string, session: StoredSession, idleMs: number): Promise<void> {
    const keys = [sessionKey(session.accountId, hash), openSessionKey(session.accountId, hash)]
    await this.#redis.ask((client) => UPDATE.run(client, keys, [JSON.stringify(session), String(idleMs)]))
  }

  async delete(hash: string, accountId: string): Promise<void> {
    await this.#redis.ask(async (client) => {
      await END.run(client, keysOf(accountId, hash), [hash])
      await client.del(ownerKey(hash))
    })
  }

  /** Returns the number of sessions that were deleted. */
  async deleteAll(accountId: string): Promise<number> {
    const prefixes = [sessionKey(accountId, ''), openSessionKey(accountId, '')]
    return this.#redis.ask((client) => END_ALL.run(client, [accountKey(accountId)], prefixes))
  }

  /** False when the sign-in was used before. */
  async noteSpent(hash: string, livesMs: number): Promise<boolean> {
    const answer = await this.#redis.ask((client) =>
      client.set(spentKey(hash), '1', { condition: 'NX', expiration: { type: 'PX', value: livesMs } }),
    )
    return answer !== null
  }
}

function keysOf(accountId: string, hash: string): string[] {
  return [sessionKey(accountId, hash), accountKey(accountId), openSessionKey(accountId, hash)]
}

/** Exists as long as the session, without its content: a gateway may read it, but no session. */
export function openSessionKey(accountId: string, hash: string): string {
  return `open-session:{${accountId}}:${hash}`
}

function sessionKey(accountId: string, hash: string): string {
  return `session:{${accountId}}:${hash}`
}

function accountKey(accountId: string): string {
  return `sessions-of:{${accountId}}`
}

function ownerKey(hash: string): string {
  return `session-owner:{${hash}}`
}

function spentKey(hash: string): string {
  return `signed-in:{${hash}}`
}

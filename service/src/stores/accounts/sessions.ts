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
redis.call('SADD', KEYS[2], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[3])`)
const END = new RedisScript(`
redis.call('DEL', KEYS[1])
redis.call('SREM', KEYS[2], ARGV[1])`)
/** One atomic step, so that a concurrent sign-in happens either before or after it. */
const END_ALL = new RedisScript<number>(`
local hashes = redis.call('SMEMBERS', KEYS[1])
for _, hash in ipairs(hashes) do redis.call('DEL', ARGV[1] .. hash) end
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
      await BEGIN.run(client, [sessionKey(accountId, hash), accountKey(accountId)], operands)
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
    await this.#redis.ask((client) =>
      client.set(sessionKey(session.accountId, hash), JSON.stringify(session), {
        condition: 'XX',
        expiration: { type: 'PX', value: idleMs },
      }),
    )
  }

  async delete(hash: string, accountId: string): Promise<void> {
    await this.#redis.ask(async (client) => {
      await END.run(client, [sessionKey(accountId, hash), accountKey(accountId)], [hash])
      await client.del(ownerKey(hash))
    })
  }

  /** Returns the number of sessions that were deleted. */
  async deleteAll(accountId: string): Promise<number> {
    return this.#redis.ask((client) => END_ALL.run(client, [accountKey(accountId)], [sessionKey(accountId, '')]))
  }

  /** False when the sign-in was completed before. */
  async noteCompleted(hash: string, livesMs: number): Promise<boolean> {
    const answer = await this.#redis.ask((client) =>
      client.set(completedKey(hash), '1', { condition: 'NX', expiration: { type: 'PX', value: livesMs } }),
    )
    return answer !== null
  }
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

function completedKey(hash: string): string {
  return `signed-in:{${hash}}`
}

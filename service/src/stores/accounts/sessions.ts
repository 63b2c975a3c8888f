import { z } from 'zod'
import type { RedisConnection } from '../engines/redis-connection.ts'

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

/** One atomic step, so that a concurrent sign-in happens either before or after it. */
const END_ALL = `
local names = redis.call('SMEMBERS', KEYS[1])
for _, name in ipairs(names) do redis.call('DEL', 'session:' .. name) end
redis.call('DEL', KEYS[1])
return #names`

/** Sessions by the hash of the browser's cookie, so that stored data cannot be used to sign in. Throws `RedisUnavailable`. */
export class SessionStore {
  readonly #redis: RedisConnection

  constructor(redis: RedisConnection) {
    this.#redis = redis
  }

  async insert(hash: string, session: StoredSession, idleMs: number, longestMs: number): Promise<void> {
    await this.#redis.ask((client) =>
      client
        .multi()
        .set(sessionKey(hash), JSON.stringify(session), { expiration: { type: 'PX', value: idleMs } })
        .sAdd(accountKey(session.accountId), hash)
        .pExpire(accountKey(session.accountId), longestMs)
        .exec(),
    )
  }

  async find(hash: string): Promise<StoredSession | undefined> {
    const text = await this.#redis.ask((client) => client.get(sessionKey(hash)))
    return text === null ? undefined : StoredSession.parse(JSON.parse(text))
  }

  /** Does not restore a session that has ended. */
  async update(hash: string, session: StoredSession, idleMs: number): Promise<void> {
    await this.#redis.ask((client) =>
      client.set(sessionKey(hash), JSON.stringify(session), {
        condition: 'XX',
        expiration: { type: 'PX', value: idleMs },
      }),
    )
  }

  async delete(hash: string, accountId: string): Promise<void> {
    await this.#redis.ask((client) => client.multi().del(sessionKey(hash)).sRem(accountKey(accountId), hash).exec())
  }

  /** Returns the number of sessions that were deleted. */
  async deleteAll(accountId: string): Promise<number> {
    return this.#redis.ask((client) => client.sendCommand<number>(['EVAL', END_ALL, '1', accountKey(accountId)]))
  }

  /** False when the sign-in was completed before. */
  async noteCompleted(hash: string, livesMs: number): Promise<boolean> {
    const answer = await this.#redis.ask((client) =>
      client.set(completedKey(hash), '1', { condition: 'NX', expiration: { type: 'PX', value: livesMs } }),
    )
    return answer !== null
  }
}

function sessionKey(hash: string): string {
  return `session:${hash}`
}

function accountKey(accountId: string): string {
  return `sessions-of:${accountId}`
}

function completedKey(hash: string): string {
  return `signed-in:${hash}`
}

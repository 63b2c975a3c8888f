import { z } from 'zod'
import type { RedisConnection } from '../engines/redis-connection.ts'

/** Who is signed in, in one browser. */
export const StoredSession = z.strictObject({
  accountId: z.string(),
  email: z.string().optional(),
  name: z.string().optional(),
  /** What the identity provider gave us; it says there whose session is to end. */
  idToken: z.string(),
  beganAtMs: z.number(),
  usedAtMs: z.number(),
})
export type StoredSession = z.infer<typeof StoredSession>

/** What has to come back from the identity provider, for one browser that was sent there. */
export const PendingSignIn = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  beganAtMs: z.number(),
})
export type PendingSignIn = z.infer<typeof PendingSignIn>

/** In one step, so that a session that begins meanwhile is either ended or seen to be newer. */
const END_ALL = `
local names = redis.call('SMEMBERS', KEYS[1])
for _, name in ipairs(names) do redis.call('DEL', 'session:' .. name) end
redis.call('DEL', KEYS[1])
return #names`

/** Sessions by the hash of what the browser holds: who reads them here can't use them. Throws `RedisUnavailable`. */
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

  /** Of a session that was ended meanwhile nothing is written. */
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

  /** Every session of the account, on whatever device. Says how many there were. */
  async deleteAll(accountId: string): Promise<number> {
    return this.#redis.ask((client) => client.sendCommand<number>(['EVAL', END_ALL, '1', accountKey(accountId)]))
  }

  async insertPending(hash: string, pending: PendingSignIn, livesMs: number): Promise<void> {
    await this.#redis.ask((client) =>
      client.set(pendingKey(hash), JSON.stringify(pending), { expiration: { type: 'PX', value: livesMs } }),
    )
  }

  /** Whoever takes it is the only one. */
  async takePending(hash: string): Promise<PendingSignIn | undefined> {
    const text = await this.#redis.ask((client) => client.getDel(pendingKey(hash)))
    return text === null ? undefined : PendingSignIn.parse(JSON.parse(text))
  }
}

function sessionKey(hash: string): string {
  return `session:${hash}`
}

function accountKey(accountId: string): string {
  return `sessions-of:${accountId}`
}

function pendingKey(hash: string): string {
  return `sign-in:${hash}`
}

import { createHash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../domain/api-error.ts'
import { wallClock } from '../domain/clock.ts'
import { PendingSignIn, type SessionStore, type StoredSession } from '../stores/accounts/sessions.ts'
import type { OperatorOf } from './operator-rule.ts'
import type { Seal } from './seal.ts'

export interface SessionDeps {
  readonly store: SessionStore
  readonly seal: Seal
  readonly operatorOf: OperatorOf
  readonly nowMs?: () => number
}

export interface OpenSession extends StoredSession {
  readonly token: string
  /** Names the session where its token must not be stored. */
  readonly hash: string
  /** When the session ends if it is not used. */
  readonly idleUntilMs: number
  /** When it ends in any case. */
  readonly lastsUntilMs: number
}

const IDLE_MS = 30 * 60_000
const MAX_AGE_MS = 12 * 3_600_000
/** The claim that makes an operator is as old as the session: who has lost it must not read on for long. */
const OPERATOR_MAX_AGE_MS = 3_600_000
/** Purpose of the seal. */
export const SIGN_IN_COOKIE = 'sign-in cookie'
export const PENDING_MS = 10 * 60_000
/** How often the last-used time of a session is written. */
const TOUCH_AFTER_MS = 60_000
/** Long enough for a page that polls. */
const KNOWN_MS = 60_000
const MAX_KNOWN = 10_000
const TOKEN = /^[\w-]{43}$/

/** Sessions of signed-in browsers, in Redis. Methods throw `RedisUnavailable` while Redis is unavailable. */
export class Sessions {
  readonly #store: SessionStore
  readonly #seal: Seal
  readonly #operatorOf: OperatorOf
  readonly #nowMs: () => number
  /** Accounts by hash, found within the last minute. */
  readonly #known = new LRUCache<string, string>({ max: MAX_KNOWN, ttl: KNOWN_MS })

  constructor({ store, seal, operatorOf, nowMs = wallClock }: SessionDeps) {
    this.#store = store
    this.#seal = seal
    this.#operatorOf = operatorOf
    this.#nowMs = nowMs
  }

  /** Returns a new token; a token from before the sign-in is never reused, which prevents session fixation. */
  async begin(user: Omit<StoredSession, 'beganAtMs' | 'usedAtMs'>): Promise<string> {
    const token = newToken()
    const nowMs = this.#nowMs()
    const session = { ...user, beganAtMs: nowMs, usedAtMs: nowMs }
    await this.#store.insert(hashOf(token), session, IDLE_MS, this.#maxAgeMs(session))
    return token
  }

  /** The account of a session that was open within the last minute, from memory. */
  knownAccount(token: string): string | undefined {
    return this.#known.get(hashOf(token))
  }

  /** Undefined when the session has ended or never existed. */
  async find(token: string | undefined): Promise<OpenSession | undefined> {
    if (token === undefined || !TOKEN.test(token)) return undefined
    const hash = hashOf(token)
    const session = await this.#store.find(hash)
    if (session === undefined) return undefined
    const nowMs = this.#nowMs()
    const lastsUntilMs = session.beganAtMs + this.#maxAgeMs(session)
    if (nowMs >= session.usedAtMs + IDLE_MS || nowMs >= lastsUntilMs) {
      await this.#store.delete(hash, session.accountId)
      return undefined
    }
    if (nowMs - session.usedAtMs >= TOUCH_AFTER_MS) {
      await this.#store.update(hash, { ...session, usedAtMs: nowMs }, Math.min(IDLE_MS, lastsUntilMs - nowMs))
    }
    this.#known.set(hash, session.accountId)
    return { ...session, token, hash, lastsUntilMs, idleUntilMs: Math.min(nowMs + IDLE_MS, lastsUntilMs) }
  }

  /** Throws `unauthenticated` when there is no session. */
  async require(token: string | undefined): Promise<OpenSession> {
    const session = await this.find(token)
    if (session === undefined)
      throw new ApiError('unauthenticated', 'Sign in at /app first; this endpoint does not accept API keys.')
    return session
  }

  async end({ token, accountId }: Pick<OpenSession, 'token' | 'accountId'>): Promise<void> {
    await this.#store.delete(hashOf(token), accountId)
  }

  /** Ends the sessions on all devices and returns their number. */
  async endAll(accountId: string): Promise<number> {
    return this.#store.deleteAll(accountId)
  }

  /** The sealed cookie of a sign-in that waits for the identity provider. Nothing is stored for it. */
  beginSignIn(pending: Omit<PendingSignIn, 'beganAtMs'>): string {
    return this.#seal.seal(JSON.stringify({ ...pending, beganAtMs: this.#nowMs() } satisfies PendingSignIn))
  }

  /** Undefined when the cookie is not ours or has expired. */
  pendingSignIn(cookie: string | undefined): PendingSignIn | undefined {
    const text = cookie === undefined ? undefined : this.#seal.open(cookie)
    if (text === undefined) return undefined
    const pending = PendingSignIn.parse(JSON.parse(text))
    return this.#nowMs() < pending.beganAtMs + PENDING_MS ? pending : undefined
  }

  /** Call it before the identity provider is asked, which each sign-in may cause once. False when it was used before. */
  spendSignIn({ state }: Pick<PendingSignIn, 'state'>): Promise<boolean> {
    return this.#store.noteSpent(hashOf(state), PENDING_MS)
  }

  #maxAgeMs(session: StoredSession): number {
    return this.#operatorOf(session) === undefined ? MAX_AGE_MS : OPERATOR_MAX_AGE_MS
  }
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

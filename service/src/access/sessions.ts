import { createHash, randomBytes } from 'node:crypto'
import { ApiError } from '../domain/api-error.ts'
import type { PendingSignIn, SessionStore, StoredSession } from '../stores/accounts/sessions.ts'

export interface SessionDeps {
  readonly store: SessionStore
  readonly nowMs?: () => number
}

/** What a browser holds, and what stands behind it. */
export interface OpenSession extends StoredSession {
  readonly token: string
  /** When it ends if it is not used, and when it ends anyway. */
  readonly idleUntilMs: number
  readonly lastsUntilMs: number
}

const IDLE_MS = 30 * 60_000
const LONGEST_MS = 12 * 3_600_000
export const PENDING_MS = 10 * 60_000
/** A session in use is written again this often, not with every request. */
const TOUCH_AFTER_MS = 60_000
const TOKEN = /^[\w-]{43}$/

/** Browsers in which somebody is signed in. Without Redis nobody is: a call throws `RedisUnavailable`. */
export class Sessions {
  readonly #store: SessionStore
  readonly #nowMs: () => number

  constructor({ store, nowMs = Date.now }: SessionDeps) {
    this.#store = store
    this.#nowMs = nowMs
  }

  /** Always under a new name: what a browser held before is never taken over. Gives what it holds from now on. */
  async begin(who: Omit<StoredSession, 'beganAtMs' | 'usedAtMs'>): Promise<string> {
    const token = newToken()
    const nowMs = this.#nowMs()
    await this.#store.insert(hashOf(token), { ...who, beganAtMs: nowMs, usedAtMs: nowMs }, IDLE_MS, LONGEST_MS)
    return token
  }

  /** Undefined when it has ended, or never was. */
  async find(token: string | undefined): Promise<OpenSession | undefined> {
    if (token === undefined || !TOKEN.test(token)) return undefined
    const hash = hashOf(token)
    const session = await this.#store.find(hash)
    if (session === undefined) return undefined
    const nowMs = this.#nowMs()
    const lastsUntilMs = session.beganAtMs + LONGEST_MS
    if (nowMs >= session.usedAtMs + IDLE_MS || nowMs >= lastsUntilMs) {
      await this.#store.delete(hash, session.accountId)
      return undefined
    }
    if (nowMs - session.usedAtMs >= TOUCH_AFTER_MS) {
      await this.#store.update(hash, { ...session, usedAtMs: nowMs }, Math.min(IDLE_MS, lastsUntilMs - nowMs))
    }
    return { ...session, token, lastsUntilMs, idleUntilMs: Math.min(nowMs + IDLE_MS, lastsUntilMs) }
  }

  /** The same, or `unauthenticated`. */
  async require(token: string | undefined): Promise<OpenSession> {
    const session = await this.find(token)
    if (session === undefined) throw new ApiError('unauthenticated', 'Sign in first; an API key does not count here.')
    return session
  }

  async end({ token, accountId }: Pick<OpenSession, 'token' | 'accountId'>): Promise<void> {
    await this.#store.delete(hashOf(token), accountId)
  }

  /** On every device. Says how many there were. */
  async endAll(accountId: string): Promise<number> {
    return this.#store.deleteAll(accountId)
  }

  /** Of a browser that is sent to the identity provider; gives what it holds until it returns. */
  async beginSignIn(pending: Omit<PendingSignIn, 'beganAtMs'>): Promise<string> {
    const token = newToken()
    await this.#store.insertPending(hashOf(token), { ...pending, beganAtMs: this.#nowMs() }, PENDING_MS)
    return token
  }

  /** Once: whoever comes second, or too late, finds nothing. */
  async takeSignIn(token: string | undefined): Promise<PendingSignIn | undefined> {
    if (token === undefined || !TOKEN.test(token)) return undefined
    const pending = await this.#store.takePending(hashOf(token))
    return pending !== undefined && this.#nowMs() < pending.beganAtMs + PENDING_MS ? pending : undefined
  }
}

/** 256 bits. */
function newToken(): string {
  return randomBytes(32).toString('base64url')
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

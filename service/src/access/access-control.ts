import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { AccessChange } from '../stores/accounts/access-changes.ts'
import type { Keys } from '../stores/accounts/keys.ts'
import type { RateLimits } from '../stores/accounts/rate-limits.ts'
import type { Usage } from '../stores/accounts/usage.ts'
import { isUnavailable } from '../stores/engines/postgres-database.ts'
import type { CreditLedger, Spendable } from '../stores/money/credit-ledger.ts'
import { addressGroup } from './address-group.ts'
import { Breaker, StoreAway } from './breaker.ts'
import { type Caller, callerOf, isSameHash } from './caller.ts'
import { CreditCharger, type Purchase, type Receipt } from './credit-charger.ts'
import { isKey } from './key-format.ts'
import { KnownCallers, type LoadedCaller } from './known-callers.ts'
import { LastUsed } from './last-used.ts'
import { LocalLimit } from './local-limit.ts'
import type { Peppers } from './peppers.ts'
import { rateLimited, storeUnavailable, unauthenticated } from './refusals.ts'
import { UsageMeter } from './usage-meter.ts'

export interface AccessControlDeps {
  readonly keys: Pick<Keys, 'find' | 'noteUse' | 'rehash'>
  readonly ledger: Pick<CreditLedger, 'charge' | 'spendable' | 'isPaid' | 'wasPaidLately' | 'void'>
  /** Over a connection that answers within 50 ms or not at all. */
  readonly rateLimits: Pick<RateLimits, 'take'>
  readonly peppers: Peppers
  /** Without it calls are not counted. */
  readonly usage?: Pick<Usage, 'add'>
  /** How many nodes share the rate of an account while Redis is unavailable. */
  readonly nodeCount?: number
  /** Must be monotonic, or a revoked key is remembered for longer. */
  readonly nowMs?: () => number
  readonly onTrouble?: (error: unknown) => void
}

export interface Admission {
  /** Requests a minute. */
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
  /** Redis is unavailable, and this node admits its share of the rate. */
  readonly degraded: boolean
}

const FAILED_AUTHENTICATIONS = { rpm: 30, burst: 30 }
const UNDO_EVERY_MS = 1_000
const MOST_OWING = 100_000

/** Authenticates callers, limits their rate and charges them. One for each process, for every transport. */
export class AccessControl {
  readonly #deps: AccessControlDeps
  readonly #onTrouble: (error: unknown) => void
  readonly #callers: KnownCallers
  readonly #charger: CreditCharger
  readonly #lastUsed: LastUsed
  readonly #usage: UsageMeter | undefined
  readonly #postgres: Breaker
  readonly #redis: Breaker
  readonly #failures: LocalLimit
  readonly #shares: LocalLimit
  /** Accounts with requests that were admitted without Redis, and are not counted there yet. */
  readonly #owing = new LRUCache<string, true>({ max: MOST_OWING })
  readonly #listeners = new Set<(change: AccessChange) => void>()

  constructor(deps: AccessControlDeps) {
    const nowMs = deps.nowMs ?? (() => performance.timeOrigin + performance.now())
    this.#deps = deps
    this.#onTrouble = deps.onTrouble ?? (() => {})
    this.#callers = new KnownCallers(nowMs)
    this.#postgres = new Breaker({ nowMs, isOutage: isUnavailable })
    // Free requests are served whatever is wrong with Redis.
    this.#redis = new Breaker({ nowMs, isOutage: () => true })
    this.#charger = new CreditCharger({ ledger: deps.ledger, breaker: this.#postgres, nowMs })
    this.#lastUsed = new LastUsed({ keys: deps.keys, nowMs, onTrouble: this.#onTrouble })
    this.#usage = deps.usage && new UsageMeter({ usage: deps.usage, nowMs, onTrouble: this.#onTrouble })
    this.#failures = new LocalLimit({ nowMs })
    this.#shares = new LocalLimit({ nowMs, shares: Math.max(1, deps.nodeCount ?? 1) })
  }

  /** Refuses with `unauthenticated`, `rate_limited` (too many failures from one address), `store_unavailable`. */
  async authenticate(presentedKey: string | undefined, ip: string): Promise<Caller> {
    if (presentedKey === undefined || presentedKey === '') throw unauthenticated()
    // What it is remembered by in this process; what it is stored under takes several times as long to make.
    const name = isKey(presentedKey) ? hash('sha256', presentedKey, 'base64url') : ''
    if (!this.#callers.isKnown(name)) this.#refuseGuessing(ip)
    if (name === '') throw this.#failed(ip)
    const caller = await this.#callers.get(name, () => this.#load(presentedKey))
    if (caller instanceof StoreAway) throw storeUnavailable(caller.cause)
    if (caller === undefined) throw this.#failed(ip)
    this.#lastUsed.note(caller.keyId)
    return caller
  }

  /** Counts one request. Refuses with `rate_limited`, `unauthenticated` when the key was revoked a moment ago. */
  async admit(caller: Caller): Promise<Admission> {
    const { accountId, keyHash, limits } = caller
    const rules = { rpm: limits.rpm, burst: limits.rpm }
    const owedMs = this.#owing.get(accountId) ? this.#shares.owedMs(accountId) : 0
    const answer = await this.#redis.ask(() => this.#deps.rateLimits.take(accountId, keyHash, rules, owedMs))
    if (answer === 'revoked') {
      this.#callers.forget(({ keyId }) => keyId === caller.keyId)
      throw unauthenticated()
    }
    const degraded = answer instanceof StoreAway
    if (degraded) {
      if (answer.cause !== undefined) this.#onTrouble(answer.cause)
      this.#owing.set(accountId, true)
    } else {
      this.#owing.delete(accountId)
      this.#shares.note(accountId, answer.resetMs)
    }
    const verdict = degraded ? this.#shares.take(accountId, rules) : answer
    if (!verdict.isAllowed) throw rateLimited(limits.rpm, verdict)
    const resetSeconds = Math.ceil(verdict.resetMs / 1_000)
    return { limit: limits.rpm, remaining: verdict.remaining, resetSeconds, degraded }
  }

  /**
   * Called when the answer is there and before it is sent. Refuses with `out_of_credits`, `idempotency_mismatch`,
   * `idempotency_spent`, `store_unavailable`.
   */
  charge(caller: Caller, purchase: Purchase): Promise<Receipt> {
    return this.#charger.charge(caller, purchase)
  }

  /** Counts a call that is answered, for the account's usage. */
  noteServed(caller: Caller, endpoint: string): void {
    this.#usage?.note(caller, endpoint)
  }

  /** The account's credits, at most a few seconds old while the store can be asked. */
  balance(caller: Caller): Promise<number> {
    return this.#charger.balance(caller)
  }

  /** What is left for the caller, as the ledger says now. Refuses with `store_unavailable`. */
  spendable(caller: Caller): Promise<Spendable> {
    return this.#charger.spendable(caller)
  }

  /** Whether the account has bought it within the last 24 hours. Refuses with `store_unavailable`. */
  holds(caller: Caller, heldAs: string): Promise<boolean> {
    return this.#charger.holds(caller, heldAs)
  }

  /** Before the work, whether it is worth it; `charge` decides. Refuses with `store_unavailable`. */
  canAfford(caller: Caller, credits: number, idempotencyKey?: string): Promise<boolean> {
    return this.#charger.canAfford(caller, credits, idempotencyKey)
  }

  /** Refuses with `out_of_credits` where `canAfford` says no. */
  requireCredits(caller: Caller, credits: number, idempotencyKey?: string): Promise<void> {
    return this.#charger.requireCredits(caller, credits, idempotencyKey)
  }

  /** Forgets what is no longer so, and tells those who hold connections open. */
  apply(change: AccessChange): void {
    if (change.kind === 'anything') this.#callers.forgetAll()
    else if (change.kind === 'key') this.#callers.forget(({ keyId }) => keyId === change.keyId)
    else this.#callers.forget(({ accountId }) => accountId === change.accountId)
    for (const listener of this.#listeners) listener(change)
  }

  /** For open sockets, which are checked again after a change. Returns what stops listening. */
  onChange(listener: (change: AccessChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Refunds, with retries, what may have been charged for answers that were not delivered. */
  async runUndoing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#charger.undoUndecided().catch(this.#onTrouble)
      await sleep(UNDO_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Writes what is still to be written. */
  async close(): Promise<void> {
    await this.#charger.undoUndecided().catch(this.#onTrouble)
    await this.#lastUsed.write()
    await this.#usage?.write()
  }

  async #load(presentedKey: string): Promise<LoadedCaller | null | StoreAway> {
    const hashes = this.#deps.peppers.hashes(presentedKey)
    const answer = await this.#postgres.ask(async () => ({
      key: await this.#deps.keys.find(hashes.map((each) => each.hash)),
    }))
    if (answer instanceof StoreAway) {
      if (answer.cause !== undefined) this.#onTrouble(answer.cause)
      return answer
    }
    const { key } = answer
    if (!key?.isValid || !hashes.some((each) => isSameHash(each.hash, key.hash))) return null
    const [newest] = hashes
    if (newest !== undefined && newest.pepperId !== key.pepperId) {
      this.#deps.keys.rehash(key.id, newest).catch(this.#onTrouble)
    }
    return { caller: callerOf(key), ...(key.expiresAtMs !== undefined && { expiresAtMs: key.expiresAtMs }) }
  }

  #refuseGuessing(ip: string): void {
    const verdict = this.#failures.look(addressGroup(ip), FAILED_AUTHENTICATIONS)
    if (!verdict.isAllowed) throw rateLimited(FAILED_AUTHENTICATIONS.rpm, verdict)
  }

  #failed(ip: string): Error {
    this.#failures.take(addressGroup(ip), FAILED_AUTHENTICATIONS)
    return unauthenticated()
  }
}

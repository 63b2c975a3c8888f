import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiError, ErrorCode } from '../domain/api-error.ts'
import { type Clock, wallClock } from '../domain/clock.ts'
import { dayText } from '../domain/day-file.ts'
import { creditsOfBooks, FREE_BOOKS_PER_DAY } from '../domain/prices.ts'
import type { AccessChange } from '../stores/accounts/access-changes.ts'
import type { Keys } from '../stores/accounts/keys.ts'
import type { RateLimits } from '../stores/accounts/rate-limits.ts'
import type { Usage } from '../stores/accounts/usage.ts'
import { isUnavailable } from '../stores/engines/postgres-database.ts'
import type { CreditLedger, PaidRequest, Spendable } from '../stores/money/credit-ledger.ts'
import { addressGroup } from './address-group.ts'
import { Breaker, StoreAway } from './breaker.ts'
import { type Caller, callerOf, isSameHash } from './caller.ts'
import { CreditCharger, type Purchase, type Receipt } from './credit-charger.ts'
import { isKey } from './key-format.ts'
import { KnownCallers } from './known-callers.ts'
import { LastUsed } from './last-used.ts'
import { LocalLimit } from './local-limit.ts'
import type { Peppers } from './peppers.ts'
import { RateShare } from './rate-share.ts'
import {
  malformedKey,
  missingKey,
  rateLimited,
  storeUnavailable,
  tooManyInvalidKeys,
  unknownAccount,
  unknownKey,
} from './refusals.ts'
import { SuspectLookups } from './suspect-lookups.ts'
import { UsageMeter } from './usage-meter.ts'

export interface AccessControlDeps {
  readonly keys: Pick<Keys, 'find' | 'findConsole' | 'findMany' | 'noteUse' | 'rehash'>
  readonly ledger: Pick<CreditLedger, 'charge' | 'spendable' | 'findPaid' | 'wasPaidLately' | 'wasHeldBefore' | 'void'>
  /** Its Redis connection must have a short timeout, because every request waits for it. */
  readonly rateLimits: Pick<RateLimits, 'take' | 'countBooks'>
  readonly peppers: Peppers
  /** Undefined disables usage counts. */
  readonly usage?: Pick<Usage, 'add'>
  /** Each node admits 1/nodeCount of the invalid keys of an address and, while Redis is unavailable, of an account's rate. */
  readonly nodeCount?: () => number
  /** Must be monotonic: a clock that steps back keeps revoked keys cached for longer. */
  readonly nowMs?: () => number
  /** Begins the days in which exact books are counted; default: that of the machine. */
  readonly clock?: Clock
  readonly onTrouble?: (error: unknown) => void
}

export interface Admission {
  /** Requests a minute. */
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
  /** Redis is unavailable, so this node applies its share of the rate. */
  readonly degraded: boolean
  /** Free exact books of the day; undefined while Redis is unavailable. */
  readonly freeBooksLeft: number | undefined
}

export interface CountedBooks {
  readonly credits: number
  readonly freeBooksLeft: number | undefined
}

const FAILED_AUTHENTICATIONS = { rpm: 30, burst: 30 }
const UNDO_EVERY_MS = 1_000

/** Authenticates, rate-limits and charges callers. One instance per process serves all transports. */
export class AccessControl {
  /** The clock of the ends of callers. */
  readonly nowMs: () => number
  readonly #deps: AccessControlDeps
  readonly #onTrouble: (error: unknown) => void
  readonly #callers: KnownCallers
  readonly #charger: CreditCharger
  readonly #lastUsed: LastUsed
  readonly #usage: UsageMeter | undefined
  readonly #postgres: Breaker
  readonly #redis: Breaker
  readonly #failures: LocalLimit
  readonly #suspects: SuspectLookups
  readonly #share: RateShare
  readonly #listeners = new Set<(change: AccessChange) => void>()

  constructor(deps: AccessControlDeps) {
    const nowMs = deps.nowMs ?? (() => performance.timeOrigin + performance.now())
    this.#deps = deps
    this.nowMs = nowMs
    this.#onTrouble = deps.onTrouble ?? (() => {})
    this.#callers = new KnownCallers(nowMs)
    this.#postgres = new Breaker({ nowMs, isOutage: isUnavailable })
    // Any Redis error counts as an outage, because requests are still admitted without Redis.
    this.#redis = new Breaker({ nowMs, isOutage: () => true })
    this.#charger = new CreditCharger({ ledger: deps.ledger, breaker: this.#postgres, nowMs })
    this.#lastUsed = new LastUsed({ keys: deps.keys, nowMs, onTrouble: this.#onTrouble })
    this.#usage = deps.usage && new UsageMeter({ usage: deps.usage, nowMs, onTrouble: this.#onTrouble })
    this.#suspects = new SuspectLookups(deps.keys)
    const nodeCount = deps.nodeCount ?? (() => 1)
    this.#failures = new LocalLimit({ nowMs, shares: nodeCount })
    this.#share = new RateShare({ nowMs, nodeCount })
  }

  /** The account of a key that was valid within the last minute, from memory. */
  knownAccount(presentedKey: string): string | undefined {
    return isKey(presentedKey) ? this.#callers.known(hash('sha256', presentedKey, 'base64url'))?.accountId : undefined
  }

  /** Throws `unauthenticated`, `rate_limited` (too many failures from one address) or `store_unavailable`. */
  async authenticate(presentedKey: string | undefined, ip: string): Promise<Caller> {
    if (presentedKey === undefined || presentedKey === '') throw missingKey()
    // A plain hash is the cache key, because the peppered hash of the database is several times slower to compute.
    const cacheKey = isKey(presentedKey) ? hash('sha256', presentedKey, 'base64url') : ''
    const isKnown = this.#callers.known(cacheKey) !== undefined
    // Counted before the lookup, because keys that are guessed in parallel would all pass otherwise.
    const tooMany = isKnown ? undefined : this.#countFailure(ip)
    if (cacheKey === '') throw tooMany ?? malformedKey()
    // The key may be that of a customer who shares the address, so it is looked up, together with others.
    if (tooMany !== undefined && this.#suspects.isFull) throw tooMany
    const caller = await this.#callers.get(cacheKey, () => this.#load(presentedKey, tooMany !== undefined))
    if (caller === undefined) throw tooMany ?? unknownKey()
    if (!isKnown && tooMany === undefined) this.#failures.giveBack(addressGroup(ip), FAILED_AUTHENTICATIONS)
    if (caller instanceof StoreAway) throw storeUnavailable(caller.cause)
    this.#lastUsed.note(caller.keyId)
    return caller
  }

  /** Whether the key works; for a caller who would be refused without one. */
  accepts(presentedKey: string, ip: string): Promise<boolean> {
    return this.authenticate(presentedKey, ip).then(
      () => true,
      () => false,
    )
  }

  /** The console of a signed-in person. Throws `unauthenticated` or `store_unavailable`. */
  async authenticateConsole(accountId: string): Promise<Caller> {
    const caller = await this.#callers.get(`console ${accountId}`, () => this.#loadConsole(accountId))
    if (caller === undefined) throw unknownAccount()
    if (caller instanceof StoreAway) throw storeUnavailable(caller.cause)
    this.#lastUsed.note(caller.keyId)
    return caller
  }

  /** Counts one request. Throws `rate_limited`, or `unauthenticated` when the key was just revoked. */
  async admit(caller: Caller): Promise<Admission> {
    const { keyId, limits, isConsole } = caller
    const rules = { rpm: limits.rpm, burst: limits.rpm }
    // People who look at pages must not use up the rate of their bots.
    const accountId = caller.accountId
    const bucket = isConsole ? `${accountId} console` : accountId
    const owed = this.#share.settle(bucket)
    const owner = { accountId, keyId, isConsole, day: this.#day }
    const answer = await this.#redis.ask(() => this.#deps.rateLimits.take(owner, rules, owed))
    if (answer === 'revoked') {
      this.#callers.forget(({ keyId }) => keyId === caller.keyId)
      throw unknownKey()
    }
    const degraded = answer instanceof StoreAway
    if (degraded) {
      if (answer.cause !== undefined) this.#onTrouble(answer.cause)
      if (owed !== undefined) this.#share.owe(bucket, owed.debtMs)
    }
    const verdict = degraded ? this.#share.take(bucket, rules) : this.#share.confirm(bucket, rules, answer)
    if (!verdict.isAllowed) throw rateLimited(limits.rpm, verdict)
    const resetSeconds = Math.ceil(verdict.resetMs / 1_000)
    const freeBooksLeft = degraded ? undefined : freeLeft(answer.books)
    return { limit: limits.rpm, remaining: verdict.remaining, resetSeconds, degraded, freeBooksLeft }
  }

  /**
   * Counts the exact books of an answer of the account; with a negative number they are given back. None is counted
   * while Redis is unavailable: customers do not pay for that.
   */
  async countBooks({ accountId }: Pick<Caller, 'accountId'>, books: number): Promise<CountedBooks> {
    const total = await this.#redis.ask(() => this.#deps.rateLimits.countBooks({ accountId, day: this.#day }, books))
    if (!(total instanceof StoreAway))
      return { credits: creditsOfBooks(books, FREE_BOOKS_PER_DAY - total + books), freeBooksLeft: freeLeft(total) }
    if (total.cause !== undefined) this.#onTrouble(total.cause)
    return { credits: 0, freeBooksLeft: undefined }
  }

  get #day(): string {
    return dayText((this.#deps.clock ?? wallClock)())
  }

  /**
   * Call it when the answer is ready and before it is sent. Throws `out_of_credits`, `idempotency_mismatch`,
   * `idempotency_spent` or `store_unavailable`.
   */
  charge(caller: Caller, purchase: Purchase): Promise<Receipt> {
    return this.#charger.charge(caller, purchase)
  }

  /** Counts an answered call in the account's usage. */
  noteServed(caller: Caller, endpoint: string): void {
    this.#usage?.note(caller, endpoint)
  }

  /** Counts a call that was refused or failed. */
  noteRefused(caller: Caller, endpoint: string, code: ErrorCode): void {
    this.#usage?.note(caller, endpoint, code)
  }

  /** The account's credit balance. It may be a few seconds old, or older while the store is unavailable. */
  balance(caller: Caller): Promise<number> {
    return this.#charger.balance(caller)
  }

  /** Reads the caller's remaining credits from the ledger. Throws `store_unavailable`. */
  spendable(caller: Caller): Promise<Spendable> {
    return this.#charger.spendable(caller)
  }

  /** Whether the account has bought it within the last 24 hours. Throws `store_unavailable`. */
  holds(caller: Caller, heldAs: string, boughtBeforeMs?: number): Promise<boolean> {
    return this.#charger.holds(caller, heldAs, boughtBeforeMs)
  }

  /** Checks a cached balance, to skip work that can't be paid; `charge` decides. Throws `store_unavailable`. */
  canAfford(caller: Caller, credits: number): Promise<boolean> {
    return this.#charger.canAfford(caller, credits)
  }

  /** Throws `out_of_credits` when `canAfford` is false. */
  requireCredits(caller: Caller, credits: number): Promise<void> {
    return this.#charger.requireCredits(caller, credits)
  }

  /** What was charged for the same request under this idempotency key; undefined for nothing. Throws `store_unavailable`. */
  findPaid(
    caller: Caller,
    request: { readonly idempotencyKey: string; readonly fingerprint: string },
  ): Promise<PaidRequest | undefined> {
    return this.#charger.findPaid(caller, request)
  }

  /** Removes changed keys and accounts from the cache and notifies the listeners. */
  apply(change: AccessChange): void {
    if (change.kind === 'anything') this.#callers.forgetAll()
    else if (change.kind === 'key') this.#callers.forget(({ keyId }) => keyId === change.keyId)
    else this.#callers.forget(({ accountId }) => accountId === change.accountId)
    for (const listener of this.#listeners) listener(change)
  }

  /** Lets open sockets check their key again after a change. Returns a function that removes the listener. */
  onChange(listener: (change: AccessChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Refunds, with retries, charges of answers that were not delivered. */
  async runUndoing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#charger.undoUndecided().catch(this.#onTrouble)
      await sleep(UNDO_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Flushes pending refunds, last-used times and usage counts. */
  async close(): Promise<void> {
    await this.#charger.undoUndecided().catch(this.#onTrouble)
    await this.#lastUsed.write()
    await this.#usage?.write()
  }

  async #load(presentedKey: string, isSuspect: boolean): Promise<Caller | null | StoreAway> {
    const hashes = this.#deps.peppers.hashes(presentedKey)
    const askedAtMs = this.nowMs()
    const source = isSuspect ? this.#suspects : this.#deps.keys
    const answer = await this.#postgres.ask(async () => ({ key: await source.find(hashes.map((each) => each.hash)) }))
    if (answer instanceof StoreAway) {
      if (answer.cause !== undefined) this.#onTrouble(answer.cause)
      return answer
    }
    const { key } = answer
    if (!key?.standing.isValid || !hashes.some((each) => isSameHash(each.hash, key.hash))) return null
    const [newest] = hashes
    if (newest !== undefined && newest.pepperId !== key.pepperId) {
      this.#deps.keys.rehash(key, newest).catch(this.#onTrouble)
    }
    return callerOf(key, askedAtMs)
  }

  async #loadConsole(accountId: string): Promise<Caller | null | StoreAway> {
    const askedAtMs = this.nowMs()
    const answer = await this.#postgres.ask(async () => ({ key: await this.#deps.keys.findConsole(accountId) }))
    if (answer instanceof StoreAway) {
      if (answer.cause !== undefined) this.#onTrouble(answer.cause)
      return answer
    }
    return answer.key === undefined ? null : callerOf(answer.key, askedAtMs, true)
  }

  /** Counts a failed authentication; returns the refusal when the address has had too many. */
  #countFailure(ip: string): ApiError | undefined {
    const verdict = this.#failures.take(addressGroup(ip), FAILED_AUTHENTICATIONS)
    return verdict.isAllowed ? undefined : tooManyInvalidKeys(FAILED_AUTHENTICATIONS.rpm, verdict)
  }
}

function freeLeft(counted: number): number {
  return Math.max(0, FREE_BOOKS_PER_DAY - counted)
}

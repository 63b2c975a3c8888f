import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../domain/api-error.ts'
import { idempotencyKeyProblem } from '../domain/idempotency-key.ts'
import type { PaidRead } from '../domain/paid-read.ts'
import type { Charge, ChargeResult, CreditLedger, PaidRequest, Spendable } from '../stores/money/credit-ledger.ts'
import { type Breaker, StoreAway } from './breaker.ts'
import type { Caller } from './caller.ts'
import { outOfCredits, storeUnavailable, unknownKey } from './refusals.ts'

export interface Purchase {
  /** Above 0; free answers are not charged. */
  readonly credits: number
  readonly endpoint: string
  /** Chosen by the caller, up to 255 characters. */
  readonly idempotencyKey?: string
  /** Identifies something, such as a file, that an account buys once and may fetch again for 24 hours. */
  readonly heldAs?: string
  /** Free for an account that bought `heldAs` before this time. */
  readonly freeIfBoughtBeforeMs?: number
  /** Hash of the request; a repeated idempotency key must come with the same fingerprint. */
  readonly fingerprint: string
  readonly requestId: string
  /** Hash of the answer; a retry is free only with the same. */
  readonly answerHash?: string
  readonly read?: PaidRead
}

export interface Receipt {
  readonly charged: number
  /** The account's credits afterwards. */
  readonly remaining: number
  /** The same idempotency key was charged before. */
  readonly replayed: boolean
}

/** A retry would return another answer than the one that was charged. */
export class ChangedAnswer extends ApiError {
  constructor() {
    super(
      'idempotency_spent',
      'The answer has changed since this Idempotency-Key was charged, so a retry is not free. Use a new key to buy the current answer.',
    )
  }
}

interface Hint extends Spendable {
  readonly atMs: number
}

const MAX_HINTS = 50_000
const BALANCE_HINT_MS = 5_000
/** Shorter, so that newly bought credits can be used soon. */
const LOW_BALANCE_HINT_MS = 1_000
const MAX_UNDECIDED = 100_000
/** Prefix of generated idempotency keys, for charges whose caller sent none. */
const GENERATED = 'once:'
const DAY_MS = 86_400_000

type ChargingLedger = Pick<
  CreditLedger,
  'charge' | 'spendable' | 'findPaid' | 'wasPaidLately' | 'wasHeldBefore' | 'void'
>

/** Charges credits. Only the ledger decides; cached balances only avoid work that could not be paid. */
export class CreditCharger {
  readonly #ledger: ChargingLedger
  readonly #breaker: Breaker
  readonly #nowMs: () => number
  readonly #hints = new LRUCache<string, Hint>({ max: MAX_HINTS })
  /** Idempotency key → account of charges whose outcome is unknown. */
  readonly #undecided = new LRUCache<string, string>({ max: MAX_UNDECIDED })

  constructor(deps: { ledger: ChargingLedger; breaker: Breaker; nowMs: () => number }) {
    this.#ledger = deps.ledger
    this.#breaker = deps.breaker
    this.#nowMs = deps.nowMs
  }

  async charge(caller: Caller, purchase: Purchase): Promise<Receipt> {
    const { credits, idempotencyKey, heldAs, freeIfBoughtBeforeMs, ...bought } = purchase
    if (!Number.isSafeInteger(credits) || credits <= 0) throw new RangeError(`${credits} credits can't be charged`)
    const { accountId, keyId } = caller
    if (heldAs !== undefined && (await this.holds(caller, heldAs, freeIfBoughtBeforeMs))) {
      return { charged: 0, remaining: await this.balance(caller), replayed: true }
    }
    const idem = heldAs === undefined ? idemOf(idempotencyKey) : heldIdem(heldAs, this.#nowMs())
    const { result, wasRepeated } = await this.#chargeOnce({ ...bought, accountId, keyId, credits, idem })
    this.#remember(caller, result)
    switch (result.outcome) {
      case 'charged':
        return { charged: result.charged, remaining: result.balance, replayed: false }
      case 'replayed':
        // Nobody else knows a generated key, so the first attempt made this charge.
        if (wasRepeated && idempotencyKey === undefined && heldAs === undefined) {
          return { charged: credits, remaining: result.balance, replayed: false }
        }
        return { charged: 0, remaining: result.balance, replayed: true }
      case 'mismatch':
        throw new ApiError(
          'idempotency_mismatch',
          'This Idempotency-Key was already used for a different request. Use a new key for each request.',
        )
      case 'changed':
        throw new ChangedAnswer()
      case 'spent':
        // A concurrent request of the same account has just bought it.
        if (heldAs !== undefined) return { charged: 0, remaining: result.balance, replayed: true }
        throw new ApiError(
          'idempotency_spent',
          'This Idempotency-Key was repeated more than 5 times or is older than 24 hours. Use a new key.',
        )
      case 'out_of_credits':
      case 'key_limit':
        throw outOfCredits(credits, result)
      case 'unknown_account':
        throw unknownKey()
    }
  }

  /**
   * Refunds charges of unknown outcome, whose answers were not delivered; stops while the store is unavailable. Throws
   * for a charge that the store no longer undoes.
   */
  async undoUndecided(): Promise<void> {
    for (const [idem, accountId] of [...this.#undecided.entries()]) {
      const answer = await this.#breaker.ask(async () => ({ refunded: await this.#ledger.void(accountId, idem) }))
      if (answer instanceof StoreAway) return
      this.#undecided.delete(idem)
      if (answer.refunded !== undefined) continue
      throw new Error(`charge ${idem} of account ${accountId} was not refunded in time; grant its credits by hand`)
    }
  }

  /** Whether the account has bought it within the last 24 hours, or at any time before `boughtBeforeMs`. */
  async holds({ accountId }: Caller, heldAs: string, boughtBeforeMs?: number): Promise<boolean> {
    const nowMs = this.#nowMs()
    const idems = [heldIdem(heldAs, nowMs), heldIdem(heldAs, nowMs - DAY_MS)]
    const isHeld = await this.#breaker.ask(
      async () =>
        (await this.#ledger.wasPaidLately(accountId, idems)) ||
        (boughtBeforeMs !== undefined && (await this.#ledger.wasHeldBefore(accountId, heldAs, boughtBeforeMs))),
    )
    if (isHeld instanceof StoreAway) throw storeUnavailable(isHeld.cause)
    return isHeld
  }

  /** Reads the caller's remaining credits from the ledger. */
  async spendable(caller: Caller): Promise<Spendable> {
    const spendable = await this.#readSpendable(caller)
    if (spendable instanceof StoreAway) throw storeUnavailable(spendable.cause)
    return spendable
  }

  /** The account's credits; the cached value is older than a few seconds only while the store is unavailable. */
  async balance(caller: Caller): Promise<number> {
    const hint = this.#hintOf(caller)
    if (hint !== undefined && this.#nowMs() - hint.atMs < BALANCE_HINT_MS) return hint.balance
    const spendable = await this.#readSpendable(caller)
    if (!(spendable instanceof StoreAway)) return spendable.balance
    if (hint !== undefined) return hint.balance
    throw storeUnavailable(spendable.cause)
  }

  /** Undefined when this request was not charged under this key within the last 24 hours. */
  async findPaid(
    { accountId }: Caller,
    { idempotencyKey, fingerprint }: { readonly idempotencyKey: string; readonly fingerprint: string },
  ): Promise<PaidRequest | undefined> {
    const idem = idemOf(idempotencyKey)
    const found = await this.#breaker.ask(async () => ({
      paid: await this.#ledger.findPaid(accountId, idem, fingerprint),
    }))
    if (found instanceof StoreAway) throw storeUnavailable(found.cause)
    return found.paid
  }

  async canAfford(caller: Caller, credits: number): Promise<boolean> {
    return leftOf(await this.#spendable(caller, credits)) >= credits
  }

  /** Throws `out_of_credits` when `canAfford` is false. */
  async requireCredits(caller: Caller, credits: number): Promise<void> {
    if (await this.canAfford(caller, credits)) return
    throw outOfCredits(credits, await this.#spendable(caller, credits))
  }

  /** Retries once when the answer of the ledger is lost, which the idempotency key makes safe. */
  async #chargeOnce(charge: Charge): Promise<{ result: ChargeResult; wasRepeated: boolean }> {
    const first = await this.#breaker.ask(() => this.#ledger.charge(charge))
    if (!(first instanceof StoreAway)) return { result: first, wasRepeated: false }
    // Whatever stops the second attempt, the first may have charged.
    const second = await this.#breaker
      .ask(() => this.#ledger.charge(charge))
      .catch((error: unknown) => new StoreAway(error))
    if (second instanceof StoreAway) {
      // Callers can retry with their own key without a second charge; a charge with a generated key must be undone.
      if (charge.idem.startsWith(GENERATED)) this.#undecided.set(charge.idem, charge.accountId)
      throw storeUnavailable(second.cause ?? first.cause)
    }
    return { result: second, wasRepeated: true }
  }

  async #spendable(caller: Caller, credits: number): Promise<Spendable> {
    const hint = this.#hintOf(caller)
    if (hint !== undefined) {
      const isEnough = leftOf(hint) >= credits
      if (isEnough || this.#nowMs() - hint.atMs < LOW_BALANCE_HINT_MS) return hint
    }
    const spendable = await this.#readSpendable(caller)
    if (spendable instanceof StoreAway) throw storeUnavailable(spendable.cause)
    return spendable
  }

  async #readSpendable(caller: Caller): Promise<Spendable | StoreAway> {
    const spendable = await this.#breaker.ask(
      async () => (await this.#ledger.spendable(caller.accountId, caller.keyId)) ?? { balance: 0 },
    )
    if (!(spendable instanceof StoreAway)) this.#remember(caller, spendable)
    return spendable
  }

  #hintOf({ accountId, keyId }: Caller): Hint | undefined {
    return this.#hints.get(`${accountId}:${keyId}`)
  }

  #remember({ accountId, keyId }: Caller, { balance, keyLeft }: Spendable): void {
    this.#hints.set(`${accountId}:${keyId}`, {
      balance,
      ...(keyLeft !== undefined && { keyLeft }),
      atMs: this.#nowMs(),
    })
  }
}

function leftOf({ balance, keyLeft = Number.POSITIVE_INFINITY }: Spendable): number {
  return Math.min(balance, keyLeft)
}

/** One idempotency key per day, so keys of today and yesterday cover the last 24 hours. */
function heldIdem(heldAs: string, nowMs: number): string {
  return `held:${new Date(nowMs).toISOString().slice(0, 10)}:${heldAs}`
}

/** The prefix separates keys of callers from ours; otherwise a caller could name a grant and pay nothing. */
function idemOf(idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return `${GENERATED}${randomUUID()}`
  const problem = idempotencyKeyProblem(idempotencyKey)
  if (problem === undefined) return `client:${idempotencyKey}`
  throw new ApiError('invalid_request', `Idempotency-Key ${problem}.`)
}

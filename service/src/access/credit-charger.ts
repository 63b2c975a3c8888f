import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../domain/api-error.ts'
import type { Charge, ChargeResult, CreditLedger, Spendable } from '../stores/money/credit-ledger.ts'
import { type Breaker, StoreAway } from './breaker.ts'
import type { Caller } from './caller.ts'
import { outOfCredits, storeUnavailable, unauthenticated } from './refusals.ts'

export interface Purchase {
  /** Above 0: what is free is not charged. */
  readonly credits: number
  readonly endpoint: string
  /** The caller's own, up to 255 characters. */
  readonly idempotencyKey?: string
  /** Names what is bought once and then held for 24 hours; whoever holds it fetches it as often as need be. */
  readonly heldAs?: string
  /** Of all that makes the answer what it is: the same idempotency key must bring the same. */
  readonly fingerprint: string
  readonly requestId: string
}

export interface Receipt {
  readonly charged: number
  /** The account's credits afterwards. */
  readonly remaining: number
  /** Paid before, under the same idempotency key. */
  readonly replayed: boolean
}

interface Hint extends Spendable {
  readonly atMs: number
}

const MOST_HINTS = 50_000
const BALANCE_HINT_MS = 5_000
/** Shorter: who has just bought credits should not wait. */
const POOR_HINT_MS = 1_000
const MOST_UNDECIDED = 100_000
/** Of charges whose caller gave no name. */
const OUR_NAMES = 'once:'
const LONGEST_IDEMPOTENCY_KEY = 255
const DAY_MS = 86_400_000

type ChargingLedger = Pick<CreditLedger, 'charge' | 'spendable' | 'isPaid' | 'wasPaidLately' | 'void'>

/** Takes payment. The ledger alone decides; what is remembered here only spares work that would not be paid. */
export class CreditCharger {
  readonly #ledger: ChargingLedger
  readonly #breaker: Breaker
  readonly #nowMs: () => number
  readonly #hints = new LRUCache<string, Hint>({ max: MOST_HINTS })
  /** Name → account of charges whose outcome is not known. */
  readonly #undecided = new LRUCache<string, string>({ max: MOST_UNDECIDED })

  constructor(deps: { ledger: ChargingLedger; breaker: Breaker; nowMs: () => number }) {
    this.#ledger = deps.ledger
    this.#breaker = deps.breaker
    this.#nowMs = deps.nowMs
  }

  async charge(caller: Caller, purchase: Purchase): Promise<Receipt> {
    const { credits, endpoint, fingerprint, requestId, idempotencyKey, heldAs } = purchase
    if (!Number.isSafeInteger(credits) || credits <= 0) throw new RangeError(`${credits} credits can't be charged`)
    const { accountId, keyId } = caller
    if (heldAs !== undefined && (await this.holds(caller, heldAs))) {
      return { charged: 0, remaining: await this.balance(caller), replayed: true }
    }
    const idem = heldAs === undefined ? idemOf(idempotencyKey) : heldIdem(heldAs, this.#nowMs())
    const { result, wasRepeated } = await this.#chargeOnce({
      accountId,
      keyId,
      credits,
      idem,
      fingerprint,
      endpoint,
      requestId,
    })
    this.#remember(caller, result)
    switch (result.outcome) {
      case 'charged':
        return { charged: result.charged, remaining: result.balance, replayed: false }
      case 'replayed':
        // Under a name that only we know, it was our own first try that paid.
        if (wasRepeated && idempotencyKey === undefined && heldAs === undefined) {
          return { charged: credits, remaining: result.balance, replayed: false }
        }
        return { charged: 0, remaining: result.balance, replayed: true }
      case 'mismatch':
        throw new ApiError('idempotency_mismatch', 'This Idempotency-Key was used for a different request')
      case 'spent':
        // Someone of the same account has just bought it, and others have fetched it since.
        if (heldAs !== undefined) return { charged: 0, remaining: result.balance, replayed: true }
        throw new ApiError(
          'idempotency_spent',
          'This Idempotency-Key was repeated too often or too late; use a new one',
        )
      case 'out_of_credits':
      case 'key_limit':
        throw outOfCredits(credits, result)
      case 'unknown_account':
        throw unauthenticated()
    }
  }

  /** Undoes what was charged, or may still be charged, for answers that nobody got; what can't be undone yet stays. */
  async undoUndecided(): Promise<void> {
    for (const [idem, accountId] of [...this.#undecided.entries()]) {
      const refunded = await this.#breaker.ask(() => this.#ledger.void(accountId, idem))
      if (refunded instanceof StoreAway) return
      this.#undecided.delete(idem)
    }
  }

  /** Whether the account has bought it within the last 24 hours. */
  async holds({ accountId }: Caller, heldAs: string): Promise<boolean> {
    const nowMs = this.#nowMs()
    const idems = [heldIdem(heldAs, nowMs), heldIdem(heldAs, nowMs - DAY_MS)]
    const isHeld = await this.#breaker.ask(() => this.#ledger.wasPaidLately(accountId, idems))
    if (isHeld instanceof StoreAway) throw storeUnavailable(isHeld.cause)
    return isHeld
  }

  /** What is left for the caller, as the ledger says now. */
  async spendable(caller: Caller): Promise<Spendable> {
    const spendable = await this.#look(caller)
    if (spendable instanceof StoreAway) throw storeUnavailable(spendable.cause)
    return spendable
  }

  /** The account's credits, a few seconds old at most unless nobody can tell. */
  async balance(caller: Caller): Promise<number> {
    const hint = this.#hintOf(caller)
    if (hint !== undefined && this.#nowMs() - hint.atMs < BALANCE_HINT_MS) return hint.balance
    const spendable = await this.#look(caller)
    if (!(spendable instanceof StoreAway)) return spendable.balance
    if (hint !== undefined) return hint.balance
    throw storeUnavailable(spendable.cause)
  }

  /** Whether it is worth the work. A repeated request that was paid for always is. */
  async canAfford(caller: Caller, credits: number, idempotencyKey?: string): Promise<boolean> {
    if (leftOf(await this.#spendable(caller, credits)) >= credits) return true
    return idempotencyKey !== undefined && this.#isPaid(caller, idempotencyKey)
  }

  /** The same as a fault. */
  async requireCredits(caller: Caller, credits: number, idempotencyKey?: string): Promise<void> {
    if (await this.canAfford(caller, credits, idempotencyKey)) return
    throw outOfCredits(credits, await this.#spendable(caller, credits))
  }

  /** Asks a second time when the first answer was lost: under the same name that is safe. */
  async #chargeOnce(charge: Charge): Promise<{ result: ChargeResult; wasRepeated: boolean }> {
    const first = await this.#breaker.ask(() => this.#ledger.charge(charge))
    if (!(first instanceof StoreAway)) return { result: first, wasRepeated: false }
    const second = await this.#breaker.ask(() => this.#ledger.charge(charge))
    if (second instanceof StoreAway) {
      // The caller gets no answer. Under a name of their own they can ask for what they may have paid; under ours nobody can.
      if (charge.idem.startsWith(OUR_NAMES)) this.#undecided.set(charge.idem, charge.accountId)
      throw storeUnavailable(second.cause ?? first.cause)
    }
    return { result: second, wasRepeated: true }
  }

  async #spendable(caller: Caller, credits: number): Promise<Spendable> {
    const hint = this.#hintOf(caller)
    if (hint !== undefined) {
      const isEnough = leftOf(hint) >= credits
      if (isEnough || this.#nowMs() - hint.atMs < POOR_HINT_MS) return hint
    }
    const spendable = await this.#look(caller)
    if (spendable instanceof StoreAway) throw storeUnavailable(spendable.cause)
    return spendable
  }

  async #look(caller: Caller): Promise<Spendable | StoreAway> {
    const spendable = await this.#breaker.ask(
      async () => (await this.#ledger.spendable(caller.accountId, caller.keyId)) ?? { balance: 0 },
    )
    if (!(spendable instanceof StoreAway)) this.#remember(caller, spendable)
    return spendable
  }

  async #isPaid({ accountId }: Caller, idempotencyKey: string): Promise<boolean> {
    const isPaid = await this.#breaker.ask(() => this.#ledger.isPaid(accountId, idemOf(idempotencyKey)))
    if (isPaid instanceof StoreAway) throw storeUnavailable(isPaid.cause)
    return isPaid
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

/** A new name each day: what was bought under that of today or yesterday may still be held. */
function heldIdem(heldAs: string, nowMs: number): string {
  return `held:${new Date(nowMs).toISOString().slice(0, 10)}:${heldAs}`
}

/** Names of callers are kept apart from ours, or one could name a grant and call it paid. */
function idemOf(idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return `${OUR_NAMES}${randomUUID()}`
  if (idempotencyKey.length > 0 && idempotencyKey.length <= LONGEST_IDEMPOTENCY_KEY) return `client:${idempotencyKey}`
  throw new ApiError('invalid_request', `An Idempotency-Key has 1 to ${LONGEST_IDEMPOTENCY_KEY} characters`)
}

export const INVOICE_STATES = [
  /** Not known to the processor yet, as far as we know. */
  'creating',
  'open',
  'confirming',
  'underpaid',
  'expired',
  'failed',
  'paid',
  'refunded',
] as const
export type InvoiceState = (typeof INVOICE_STATES)[number]

/** What a processor says of an invoice when it is asked. A callback is never one: it only says that asking is worth it. */
export interface ObservedPayment {
  readonly status: Exclude<InvoiceState, 'creating'> | 'unknown'
  /** The processor's own word for it, for people. */
  readonly word: string
  readonly price: { readonly amount: number; readonly currency: string }
  readonly orderId: string
  /** Whether any money has come. */
  readonly hasMoney: boolean
  /** Compared with what the processor itself asked the payer for. */
  readonly received: 'less' | 'enough' | 'more'
  /** Undefined while the processor asks for nothing yet, or does not say. */
  readonly request?: PayerRequest | undefined
  /** Why the money is not simply the payment that was asked for. A human decides. */
  readonly doubt?: PaymentDoubt | undefined
}

/** What the payer is asked for. Amounts are decimal texts, in coins. */
export interface PayerRequest {
  readonly currency: string
  readonly amountDue: string
  readonly amountReceived: string
  readonly address?: string
  /** Memo or tag without which the money does not arrive. */
  readonly memo?: string
  /** For wallets, such as `bitcoin:bc1…?amount=0.1`. */
  readonly uri?: string
}

export const PAYMENT_DOUBTS = [
  /** The money came as a further deposit to the address of a payment, at another rate. */
  'child_payment',
  /** The money came in another coin than the one asked for. */
  'wrong_asset',
  /** Clearly less has reached the shop than was paid. */
  'low_outcome',
] as const
export type PaymentDoubt = (typeof PAYMENT_DOUBTS)[number]

/** What was asked for. */
export interface ExpectedPayment {
  readonly orderId: string
  readonly priceUsd: number
  /** Whether its time is over. Money is taken all the same. */
  readonly isOver: boolean
}

/** Why a human should look. Nothing is granted or taken for any of these. */
export const REVIEW_REASONS = [
  'unknown_status',
  'mismatch',
  'underpaid',
  'overpaid',
  'paid_late',
  'failed_with_money',
  'refunded_after_paid',
  'reversed_after_paid',
  'paid_after_refund',
  'tier_arranged',
  'unknown_invoice',
  ...PAYMENT_DOUBTS,
] as const
export type ReviewReason = (typeof REVIEW_REASONS)[number]

export interface Move {
  readonly state: InvoiceState
  /** Whether what was bought is given now. Along any walk this is so once at most. */
  readonly grants: boolean
  readonly review?: ReviewReason
}

/**
 * The whole life of an invoice: where it goes from a state when its processor is seen to say something, or nothing
 * because nobody has begun to pay.
 */
export function moveInvoice(state: InvoiceState, asked: ExpectedPayment, seen: ObservedPayment | undefined): Move {
  if (seen === undefined) return wait(state, asked)
  if (seen.status === 'unknown') return stay(state, 'unknown_status')
  if (!matchesOrder(asked, seen)) return stay(state, 'mismatch')
  if (state === 'refunded') return stay(state, seen.status === 'paid' ? 'paid_after_refund' : undefined)
  if (state === 'paid') return moveOfPaid(seen)
  switch (seen.status) {
    case 'paid':
      if (seen.doubt !== undefined) return to('underpaid', seen.doubt)
      if (seen.received === 'less') return to('underpaid', 'underpaid')
      return { ...to('paid', seen.received === 'more' ? 'overpaid' : undefined), grants: true }
    case 'underpaid':
      return to('underpaid', seen.doubt ?? 'underpaid')
    case 'expired':
      return to('expired', seen.hasMoney ? 'paid_late' : undefined)
    case 'failed':
      return to('failed', seen.hasMoney ? 'failed_with_money' : undefined)
    case 'open':
      return wait(state, asked)
    case 'confirming':
    case 'refunded':
      return to(seen.status)
  }
}

/** Back to `open` from nowhere but the beginning: two may ask at once, and the older answer may come last. */
function wait(state: InvoiceState, { isOver }: ExpectedPayment): Move {
  return state === 'creating' || state === 'open' ? to(isOver ? 'expired' : 'open') : stay(state)
}

/** What was given is not taken back by a machine. */
function moveOfPaid({ status, received }: ObservedPayment): Move {
  if (status === 'refunded') return to('refunded', 'refunded_after_paid')
  if (status === 'paid' && received === 'more') return stay('paid', 'overpaid')
  return stay('paid', status === 'failed' ? 'reversed_after_paid' : undefined)
}

function matchesOrder({ orderId, priceUsd }: ExpectedPayment, { orderId: seenId, price }: ObservedPayment): boolean {
  return seenId === orderId && price.currency.toLowerCase() === 'usd' && price.amount >= priceUsd
}

function to(state: InvoiceState, review?: ReviewReason): Move {
  return { state, grants: false, ...(review !== undefined && { review }) }
}

const stay = to

/** Of these the processor is asked again without being told to. */
export function isUndecided(state: InvoiceState): boolean {
  return state !== 'paid' && state !== 'refunded'
}

export interface CheckIntervals {
  /** How old an invoice is before it is asked about without news of it. */
  readonly firstMs: number
  readonly everyMs: number
  /** Once it is a day old. */
  readonly laterMs: number
}

export const CHECK_INTERVALS: CheckIntervals = { firstMs: 600_000, everyMs: 300_000, laterMs: 3_600_000 }

const DAY_MS = 86_400_000
/** Money that comes later than this comes with a callback, or to a human. */
const WATCHED_DAYS = 30

/** How long until the processor is asked again; undefined for never, unless it calls. */
export function nextCheckInMs(
  state: InvoiceState,
  ageMs: number,
  { everyMs, laterMs }: CheckIntervals,
): number | undefined {
  if (!isUndecided(state) || ageMs > WATCHED_DAYS * DAY_MS) return undefined
  return ageMs < DAY_MS ? everyMs : laterMs
}

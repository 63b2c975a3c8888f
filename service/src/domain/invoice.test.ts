import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  CHECK_INTERVALS,
  type ExpectedPayment,
  INVOICE_STATES,
  type InvoiceState,
  moveInvoice,
  nextCheckInMs,
  type ObservedPayment,
  PAYMENT_DOUBTS,
  REVIEW_REASONS,
} from './invoice.ts'

const ASKED: ExpectedPayment = { orderId: 'order', priceUsd: 17, isOver: false }

function seen(status: ObservedPayment['status'], change: Partial<ObservedPayment> = {}): ObservedPayment {
  const price = { amount: 17, currency: 'USD' }
  return { status, word: status, price, orderId: 'order', hasMoney: false, received: 'enough', ...change }
}

const STATUSES = ['open', 'confirming', 'underpaid', 'expired', 'failed', 'paid', 'refunded', 'unknown'] as const

const observedPayment: fc.Arbitrary<ObservedPayment | undefined> = fc.option(
  fc.record({
    status: fc.constantFrom(...STATUSES),
    word: fc.string(),
    price: fc.record({
      amount: fc.constantFrom(16.99, 17, 17.01, 0),
      currency: fc.constantFrom('usd', 'USD', 'eur'),
    }),
    orderId: fc.constantFrom('order', 'order', 'order', 'another', ''),
    hasMoney: fc.boolean(),
    received: fc.constantFrom('less', 'enough', 'more'),
    doubt: fc.option(fc.constantFrom(...PAYMENT_DOUBTS), { nil: undefined, freq: 3 }),
  }),
  { nil: undefined },
)

function isFullPayment(each: ObservedPayment | undefined): boolean {
  return (
    each?.status === 'paid' &&
    each.doubt === undefined &&
    each.received !== 'less' &&
    each.orderId === 'order' &&
    each.price.currency.toLowerCase() === 'usd' &&
    each.price.amount >= 17
  )
}

describe('whatever is seen, in whatever order and however often', () => {
  test('what was bought is given once at most, and only for a full payment of this order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(observedPayment, fc.boolean()), { maxLength: 40 }), (walk) => {
        let state: InvoiceState = 'creating'
        let grants = 0
        for (const [each, isOver] of walk) {
          const move = moveInvoice(state, { ...ASKED, isOver }, each)
          if (move.grants) {
            grants++
            expect(isFullPayment(each)).toBe(true)
            expect(move.state).toBe('paid')
          }
          expect(INVOICE_STATES).toContain(move.state)
          if (move.review !== undefined) expect(REVIEW_REASONS).toContain(move.review)
          // Money that was taken is never forgotten.
          if (state === 'paid') expect(['paid', 'refunded']).toContain(move.state)
          if (state === 'refunded') expect(move.state).toBe('refunded')
          state = move.state
        }
        expect(grants).toBeLessThanOrEqual(1)
        const refundedFirst = walk.findIndex(([each]) => each?.status === 'refunded')
        const paidFirst = walk.findIndex(([each]) => isFullPayment(each))
        if (paidFirst !== -1 && refundedFirst === -1) expect(grants).toBe(1)
      }),
      { numRuns: 1_500 },
    )
  })

  test('a full payment that stays is found from every state that has not ended', () => {
    for (const state of INVOICE_STATES) {
      const { grants, state: next } = moveInvoice(state, { ...ASKED, isOver: true }, seen('paid'))
      expect([state, grants, next]).toEqual(
        state === 'paid'
          ? [state, false, 'paid']
          : state === 'refunded'
            ? [state, false, state]
            : [state, true, 'paid'],
      )
    }
  })
})

test.each([
  ['open', seen('underpaid'), 'underpaid', 'underpaid'],
  ['open', seen('paid', { received: 'less' }), 'underpaid', 'underpaid'],
  ['open', seen('paid', { doubt: 'child_payment' }), 'underpaid', 'child_payment'],
  ['expired', seen('paid', { doubt: 'wrong_asset', received: 'more' }), 'underpaid', 'wrong_asset'],
  ['confirming', seen('paid', { doubt: 'low_outcome' }), 'underpaid', 'low_outcome'],
  ['open', seen('underpaid', { doubt: 'wrong_asset' }), 'underpaid', 'wrong_asset'],
  ['paid', seen('paid', { received: 'more' }), 'paid', 'overpaid'],
  ['paid', seen('paid', { doubt: 'low_outcome' }), 'paid', undefined],
  ['underpaid', seen('open'), 'underpaid', undefined],
  ['open', seen('expired'), 'expired', undefined],
  ['open', seen('expired', { hasMoney: true }), 'expired', 'paid_late'],
  ['expired', seen('confirming'), 'confirming', undefined],
  ['confirming', seen('open'), 'confirming', undefined],
  ['confirming', seen('failed', { hasMoney: true }), 'failed', 'failed_with_money'],
  ['paid', seen('refunded'), 'refunded', 'refunded_after_paid'],
  ['paid', seen('failed'), 'paid', 'reversed_after_paid'],
  ['paid', seen('expired'), 'paid', undefined],
  ['refunded', seen('paid'), 'refunded', 'paid_after_refund'],
  ['open', seen('refunded'), 'refunded', undefined],
  ['open', seen('unknown'), 'open', 'unknown_status'],
  ['open', seen('paid', { orderId: 'another' }), 'open', 'mismatch'],
  ['open', seen('paid', { price: { amount: 16.99, currency: 'usd' } }), 'open', 'mismatch'],
  ['open', seen('paid', { price: { amount: 17, currency: 'eur' } }), 'open', 'mismatch'],
  ['creating', undefined, 'open', undefined],
] as const)('%s, then %o: %s, and a human hears %s', (state, sight, next, review) => {
  const move = moveInvoice(state, ASKED, sight)
  expect([move.state, move.review, move.grants]).toEqual([next, review, false])
})

test('too much money grants, and a human hears of it', () => {
  const move = moveInvoice('open', ASKED, seen('paid', { received: 'more' }))
  expect(move).toEqual({ state: 'paid', grants: true, review: 'overpaid' })
})

test('an invoice that nobody pays expires by our own clock', () => {
  for (const sight of [undefined, seen('open')]) {
    expect(moveInvoice('open', { ...ASKED, isOver: true }, sight).state).toBe('expired')
  }
})

test('the undecided are asked about for thirty days, the decided only when the processor calls', () => {
  const day = 86_400_000
  expect(nextCheckInMs('open', 0, CHECK_INTERVALS)).toBe(300_000)
  expect(nextCheckInMs('expired', 2 * day, CHECK_INTERVALS)).toBe(3_600_000)
  expect(nextCheckInMs('expired', 31 * day, CHECK_INTERVALS)).toBeUndefined()
  expect(nextCheckInMs('paid', 0, CHECK_INTERVALS)).toBeUndefined()
})

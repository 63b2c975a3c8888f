import { SIMULATED_IPN_SECRET } from '@bookreel/simulator/payments/callback-text'
import type { SimulatedInvoice } from '@bookreel/simulator/payments/invoice-book'
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ExpectedPayment, type InvoiceState, type Move, moveInvoice } from '../../src/domain/invoice.ts'
import { btcPay } from '../../src/payments/btcpay.ts'
import { nowPayments } from '../../src/payments/nowpayments.ts'
import type { InvoiceOrder, Processor } from '../../src/payments/processor.ts'

/** Everything that can happen to a payment, at both simulated processors, and what the service then does. */
let simulator: Simulator
let processors: Record<'nowpayments' | 'btcpay', Processor>
beforeAll(async () => {
  const size = { hot: 0, medium: 0, cold: 0 }
  simulator = await startSimulator({ seed: 'cases', startMs: WORLD_NOW_MS, size, speed: 1, port: 0, faults: [] })
  const { nowPayments: coins, btcPay: server } = simulator.addresses
  const common = { apiKey: 'key', returnUrl: 'http://127.0.0.1:1' }
  processors = {
    nowpayments: nowPayments({ ...common, url: coins, secrets: [SIMULATED_IPN_SECRET], callbackUrl: common.returnUrl }),
    btcpay: btcPay({ ...common, url: server, storeId: 'store', secrets: ['none'] }),
  }
})
afterAll(() => simulator?.stop())

const ORDER: InvoiceOrder = { orderId: 'order-1', priceUsd: 17, description: 'pro_monthly', lifeMinutes: 60 }
const ASKED: ExpectedPayment = { orderId: 'order-1', priceUsd: 17, isOver: false }

async function happen(externalId: string, body: object): Promise<SimulatedInvoice> {
  const answer = await fetch(`${simulator.addresses.admin}/payments/invoices/${externalId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status, JSON.stringify(body)).toBe(200)
  return (await answer.json()) as SimulatedInvoice
}

const PAY = { act: 'pay' }
const HALF = { act: 'pay', share: 0.5 }
const EXPIRE = { act: 'expire' }
const AGAIN = { act: 'deposit-again' }
const OTHER_COIN = { act: 'deposit-other-coin' }
type Case = readonly [
  name: string,
  acts: readonly object[],
  state: InvoiceState,
  review: Move['review'],
  grants: number,
]

const COIN_CASES: readonly Case[] = [
  ['paid', [PAY], 'paid', undefined, 1],
  ['paid too much', [{ act: 'pay', share: 1.5 }], 'paid', 'overpaid', 1],
  ['paid and paid again to the same address', [PAY, AGAIN], 'paid', 'overpaid', 1],
  ['paid, and another coin comes', [PAY, OTHER_COIN], 'paid', 'overpaid', 1],
  ['only a further deposit, which is finished', [{ act: 'begin' }, AGAIN], 'underpaid', 'child_payment', 0],
  ['only another coin, which is finished', [{ act: 'begin' }, OTHER_COIN], 'underpaid', 'wrong_asset', 0],
  ['another coin of any amount', [{ ...OTHER_COIN, share: 90 }], 'underpaid', 'wrong_asset', 0],
  ['half, the rest as a further deposit', [HALF, { ...AGAIN, share: 0.5 }], 'underpaid', 'child_payment', 0],
  ['half, then the rest', [HALF, HALF], 'paid', undefined, 1],
  ['half', [HALF], 'underpaid', 'underpaid', 0],
  ['expired', [{ act: 'begin' }, EXPIRE], 'expired', undefined, 0],
  ['expired, then a further deposit', [EXPIRE, AGAIN], 'underpaid', 'child_payment', 0],
  ['expired, then paid in full', [EXPIRE, PAY], 'paid', undefined, 1],
  ['not confirmed yet', [{ status: 'confirming', paidShare: 1 }], 'confirming', undefined, 0],
  ['confirmed but not received', [{ status: 'sending', paidShare: 1 }], 'confirming', undefined, 0],
  ['finished with too little', [{ status: 'finished', paidShare: 0.99 }], 'underpaid', 'underpaid', 0],
  [
    'finished, but half of it arrives',
    [{ status: 'finished', paidShare: 1, outcomeShare: 0.5 }],
    'underpaid',
    'low_outcome',
    0,
  ],
  [
    'finished, but nothing arrives',
    [{ status: 'finished', paidShare: 1, outcomeShare: 0 }],
    'underpaid',
    'low_outcome',
    0,
  ],
  ['failed with money', [{ status: 'failed', paidShare: 1 }], 'failed', 'failed_with_money', 0],
  ['refunded', [PAY, { act: 'refund' }], 'refunded', 'refunded_after_paid', 1],
  ['a status that does not exist', [{ status: 'blessed', paidShare: 1 }], 'open', 'unknown_status', 0],
]

const settled = (additionalStatus: string, paidShare = 1) => ({ status: 'Settled', additionalStatus, paidShare })
const SERVER_CASES: readonly Case[] = [
  ['paid', [PAY], 'paid', undefined, 1],
  ['paid too much', [{ act: 'pay', share: 1.5 }], 'paid', 'overpaid', 1],
  ['half', [HALF], 'open', undefined, 0],
  ['half, then expired', [HALF, EXPIRE], 'underpaid', 'underpaid', 0],
  ['half, then the rest', [HALF, HALF], 'paid', undefined, 1],
  ['expired', [EXPIRE], 'expired', undefined, 0],
  ['expired, then paid in full', [EXPIRE, PAY], 'expired', 'paid_late', 0],
  ['expired, then half', [EXPIRE, HALF], 'underpaid', 'underpaid', 0],
  ['late, and marked by the operator', [EXPIRE, PAY, { act: 'mark' }], 'paid', undefined, 1],
  ['not confirmed yet', [{ status: 'Processing', paidShare: 1 }], 'confirming', undefined, 0],
  ['settled although late', [settled('PaidLate')], 'expired', 'paid_late', 0],
  ['settled although partial', [settled('PaidPartial', 0.5)], 'underpaid', 'underpaid', 0],
  ['settled with less, by a tolerance', [settled('None', 0.95)], 'underpaid', 'underpaid', 0],
  ['settled as paid over, with less', [settled('PaidOver', 0.5)], 'underpaid', 'underpaid', 0],
  ['settled with an exception that does not exist', [settled('Blessed')], 'open', 'unknown_status', 0],
  ['settled and invalid', [settled('Invalid')], 'open', 'unknown_status', 0],
  ['invalid with money', [{ status: 'Invalid', paidShare: 1 }], 'failed', 'failed_with_money', 0],
  ['marked as invalid', [{ status: 'Invalid', additionalStatus: 'Marked' }], 'failed', undefined, 0],
  ['a status that does not exist', [{ status: 'Blessed', paidShare: 1 }], 'open', 'unknown_status', 0],
]

test.each([
  ...COIN_CASES.map((each) => ['nowpayments', ...each] as const),
  ...SERVER_CASES.map((each) => ['btcpay', ...each] as const),
])('%s: %s', async (provider, _, acts, expected, review, grants) => {
  const processor = processors[provider]
  const { externalId } = await processor.createInvoice(ORDER)
  let state: InvoiceState = 'open'
  let [given, last] = [0, undefined as Move['review']]
  for (const act of acts) {
    await happen(externalId, act)
    const move = moveInvoice(state, ASKED, await processor.fetchInvoice({ externalId, paymentIds: [] }))
    if (move.grants) given++
    ;[state, last] = [move.state, move.review]
  }
  expect([state, last, given]).toEqual([expected, review, grants])
})

test('NOWPayments: a payment in another coin than the chosen one is not taken', async () => {
  const { nowpayments } = processors
  const { externalId } = await nowpayments.createInvoice({ ...ORDER, payCurrency: 'BTC' })
  await happen(externalId, PAY)
  const doubtWith = async (payCurrency: string) =>
    (await nowpayments.fetchInvoice({ externalId, paymentIds: [], payCurrency }))?.doubt
  expect([await doubtWith('BTC'), await doubtWith('btc'), await doubtWith('eth')]).toEqual([
    undefined,
    undefined,
    'wrong_asset',
  ])
})

test('invoices are made with a fixed rate and two confirmations', async () => {
  const coins = await processors.nowpayments.createInvoice(ORDER)
  expect(await happen(coins.externalId, { act: 'begin' })).toMatchObject({ isFixedRate: true })
  const server = await processors.btcpay.createInvoice(ORDER)
  expect(await happen(server.externalId, { act: 'begin' })).toMatchObject({ speedPolicy: 'LowMediumSpeed' })
})

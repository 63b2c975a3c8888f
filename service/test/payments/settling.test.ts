import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { CHECK_INTERVALS } from '../../src/domain/invoice.ts'
import { InvoiceChecks } from '../../src/stores/money/invoice-checks.ts'
import { Invoices } from '../../src/stores/money/invoices.ts'
import { PaymentScene } from './payment-scene.ts'

let scene: PaymentScene
beforeAll(async () => {
  scene = await PaymentScene.open()
})
afterAll(async () => {
  const drifts = await scene.access.ledger.drifts()
  await scene[Symbol.asyncDispose]()
  expect(drifts).toEqual([])
})
beforeEach(() =>
  scene.happen('delivery', { lose: false, copies: 1, delayMs: 0, reorder: false, haste: 100, away: false }),
)

const OFTEN = { firstMs: 0, everyMs: 50, laterMs: 50 }

describe.each(['nowpayments', 'btcpay'] as const)('an invoice at %s', (provider) => {
  test('that is paid grants its credits once, under the name of the payment', async () => {
    const account = await scene.newAccount()
    const invoice = await scene.newInvoice(provider, 'credits_10k', account)
    await using _ = scene.worker()
    await scene.pay(invoice)
    await scene.untilState(invoice, 'paid')
    expect(await scene.grantsOf(account)).toEqual([{ idem: `pay:${provider}:${invoice.externalId}`, delta: 10_000 }])
    expect(await scene.reviewsOf(invoice)).toEqual([])
    expect((await scene.access.accounts.find(account))?.tier).toBe('free')
  })

  test('with repeated and reordered callbacks to five workers at once grants once', async () => {
    const account = await scene.newAccount()
    const invoice = await scene.newInvoice(provider, 'pro_monthly', account)
    await scene.happen('delivery', { copies: 20, reorder: true })
    await using stack = new AsyncDisposableStack()
    for (let worker = 0; worker < 5; worker++) stack.use(scene.worker({ takenForMs: 30 }, OFTEN))
    await scene.pay(invoice)
    await scene.untilState(invoice, 'paid')
    await callbacksSettled(provider, invoice.externalId)
    expect(await scene.grantsOf(account)).toHaveLength(1)
    expect((await scene.access.accounts.find(account))?.tier).toBe('pro')
  })

  test('whose callbacks are all lost is found by polling', async () => {
    const account = await scene.newAccount()
    const invoice = await scene.newInvoice(provider, 'credits_10k', account)
    await scene.happen('delivery', { lose: true })
    await scene.pay(invoice)
    await using _ = scene.worker({}, OFTEN)
    await makeDue(invoice.id)
    await scene.untilState(invoice, 'paid')
    expect(await scene.grantsOf(account)).toHaveLength(1)
  })

  test('is settled when the processor is available again, after any number of retries', async () => {
    const account = await scene.newAccount()
    const invoice = await scene.newInvoice(provider, 'credits_10k', account)
    await scene.happen('delivery', { away: true })
    await using _ = scene.worker()
    await scene.pay(invoice)
    await vi.waitUntil(async () => (await failuresOf(invoice.id)) >= 2, { timeout: 120_000 })
    expect(await scene.grantsOf(account)).toEqual([])
    await scene.happen('delivery', { away: false })
    await scene.untilState(invoice, 'paid')
    expect(await scene.grantsOf(account)).toHaveLength(1)
  })

  test('that is overpaid grants what was bought, and creates a manual review', async () => {
    const account = await scene.newAccount()
    const invoice = await scene.newInvoice(provider, 'credits_10k', account)
    await using _ = scene.worker()
    await scene.pay(invoice, { act: 'pay', share: 1.5 })
    await scene.untilState(invoice, 'paid')
    expect(await scene.grantsOf(account)).toHaveLength(1)
    expect(await scene.reviewsOf(invoice)).toEqual(['overpaid'])
  })

  test('with an unknown state stays as it is, and creates a manual review', async () => {
    const account = await scene.newAccount()
    const invoice = await scene.newInvoice(provider, 'credits_10k', account)
    await using _ = scene.worker()
    await scene.pay(invoice, { status: 'blessed', paidShare: 1 })
    await vi.waitUntil(async () => (await scene.reviewsOf(invoice)).includes('unknown_status'), { timeout: 120_000 })
    expect((await scene.invoices.find(invoice.id, account))?.state).toBe('open')
    await scene.pay(invoice, { act: 'pay' })
    await scene.untilState(invoice, 'paid')
    expect(await scene.reviewsOf(invoice)).not.toContain('unknown_status')
  })

  test('with another price than requested grants nothing', async () => {
    const account = await scene.newAccount()
    const invoice = await scene.newInvoice(provider, 'credits_10k', account)
    await sql`UPDATE invoices SET price_usd = 5.01 WHERE id = ${invoice.id}`.execute(scene.database)
    await using _ = scene.worker()
    await scene.pay(invoice)
    await vi.waitUntil(async () => (await scene.reviewsOf(invoice)).includes('mismatch'), { timeout: 120_000 })
    expect(await scene.grantsOf(account)).toEqual([])
  })

  test('that a forged callback claims as paid is left alone', async () => {
    const account = await scene.newAccount()
    const invoice = await scene.newInvoice(provider, 'credits_10k', account)
    await scene.happen(`invoices/${invoice.externalId}/forge`, {})
    await vi.waitUntil(async () => (await answers())['401'] !== undefined, { timeout: 120_000 })
    const { rows } = await sql`SELECT FROM payment_events WHERE external_id = ${invoice.externalId}`.execute(
      scene.database,
    )
    expect(rows).toEqual([])
  })
})

test('NOWPayments: a partial payment grants nothing and needs a manual review; the rest of it later grants once', async () => {
  const account = await scene.newAccount()
  const invoice = await scene.newInvoice('nowpayments', 'scale_monthly', account)
  await using _ = scene.worker()
  await scene.pay(invoice, { act: 'pay', share: 0.6 })
  await scene.untilState(invoice, 'underpaid')
  expect([await scene.grantsOf(account), await scene.reviewsOf(invoice)]).toEqual([[], ['underpaid']])
  await scene.pay(invoice, { act: 'pay', share: 0.4 })
  await scene.untilState(invoice, 'paid')
  expect(await scene.grantsOf(account)).toHaveLength(1)
  expect(await scene.reviewsOf(invoice)).toEqual([])
})

test('NOWPayments: finished with less than the price grants nothing', async () => {
  const account = await scene.newAccount()
  const invoice = await scene.newInvoice('nowpayments', 'credits_10k', account)
  await using _ = scene.worker()
  await scene.pay(invoice, { status: 'finished', paidShare: 0.99 })
  await scene.untilState(invoice, 'underpaid')
  expect(await scene.grantsOf(account)).toEqual([])
})

test('NOWPayments: a further deposit in another coin grants nothing; the payment itself grants once, and both are reviewed', async () => {
  const account = await scene.newAccount()
  const invoice = await scene.newInvoice('nowpayments', 'credits_10k', account)
  await using _ = scene.worker()
  await scene.pay(invoice, { act: 'deposit-other-coin' })
  await scene.untilState(invoice, 'underpaid')
  expect([await scene.grantsOf(account), await scene.reviewsOf(invoice)]).toEqual([[], ['wrong_asset']])
  await scene.pay(invoice)
  await scene.untilState(invoice, 'paid')
  await scene.pay(invoice, { act: 'deposit-again' })
  await vi.waitUntil(async () => (await scene.reviewsOf(invoice)).includes('overpaid'), { timeout: 120_000 })
  expect(await scene.grantsOf(account)).toHaveLength(1)
  expect(await scene.reviewsOf(invoice)).toContain('wrong_asset')
})

test('an expired invoice that is paid late in full is settled', async () => {
  const account = await scene.newAccount()
  const invoice = await scene.newInvoice('nowpayments', 'credits_10k', account)
  await using _ = scene.worker()
  await scene.pay(invoice, { act: 'expire' })
  await scene.untilState(invoice, 'expired')
  await scene.pay(invoice)
  await scene.untilState(invoice, 'paid')
  expect(await scene.grantsOf(account)).toHaveLength(1)
})

test('BTCPay leaves late payments to a manual review, and an invoice marked as settled by hand is paid', async () => {
  const account = await scene.newAccount()
  const invoice = await scene.newInvoice('btcpay', 'credits_10k', account)
  await using _ = scene.worker()
  await scene.pay(invoice, { act: 'expire' })
  await scene.pay(invoice)
  await vi.waitUntil(async () => (await scene.reviewsOf(invoice)).includes('paid_late'), { timeout: 120_000 })
  expect(await scene.grantsOf(account)).toEqual([])
  await scene.pay(invoice, { act: 'mark' })
  await scene.untilState(invoice, 'paid')
  expect([await scene.grantsOf(account), await scene.reviewsOf(invoice)]).toEqual([[expect.anything()], []])
})

test('a refund after the grant does not revoke the credits automatically', async () => {
  const account = await scene.newAccount()
  const invoice = await scene.newInvoice('nowpayments', 'pro_monthly', account)
  await using _ = scene.worker()
  await scene.pay(invoice)
  await scene.untilState(invoice, 'paid')
  await scene.pay(invoice, { act: 'refund' })
  await scene.untilState(invoice, 'refunded')
  const { refundedAtMs = 0 } = (await new Invoices(scene.access.database).find(invoice.id, account)) ?? {}
  expect((await postgresNowMs(scene.database)) - refundedAtMs).toBeLessThan(60_000)
  expect(await scene.grantsOf(account)).toHaveLength(1)
  expect((await scene.access.accounts.find(account))?.tier).toBe('pro')
  expect(await scene.reviewsOf(invoice)).toEqual(['refunded_after_paid'])
})

test('a callback that arrives while the processor is being polled is not lost', async () => {
  const account = await scene.newAccount()
  const invoice = await scene.newInvoice('nowpayments', 'credits_10k', account)
  await scene.pay(invoice, { act: 'begin' })
  const checks = new InvoiceChecks(scene.database, CHECK_INTERVALS)
  const taken = await vi.waitUntil(
    async () => (await checks.take(['nowpayments'], 8, 60_000)).find(({ id }) => id === invoice.id),
    { timeout: 120_000 },
  )
  const old = await scene.processors.current.byName('nowpayments')?.fetchInvoice(taken)
  await scene.pay(invoice)
  await vi.waitUntil(async () => (await newsOf(invoice.id)) >= 5, { timeout: 120_000 })
  await checks.settle(taken, old)
  await using _ = scene.worker()
  await scene.untilState(invoice, 'paid')
})

test('an invoice that was never completed is given up, and can still be created under the same idempotency key', async () => {
  const account = await scene.newAccount()
  const pack = { id: 'credits_10k', tier: null, priceUsd: 5, credits: 10_000, months: 0 }
  const order = { accountId: account, provider: 'nowpayments', pack, idempotencyKey: 'a', lifeMinutes: 60 }
  const first = await scene.invoices.begin(order)
  if (first.outcome !== 'begun') throw new Error(first.outcome)
  await sql`UPDATE invoices SET created_at = now() - interval '11 minutes' WHERE id = ${first.invoice.id}`.execute(
    scene.database,
  )
  await using _ = scene.worker()
  await scene.untilState(first.invoice, 'expired')
  expect(await scene.invoices.begin(order)).toMatchObject({ outcome: 'begun', invoice: { id: first.invoice.id } })
})

async function makeDue(id: string): Promise<void> {
  await sql`UPDATE invoices SET next_check_at = now() WHERE id = ${id}`.execute(scene.database)
}

async function failuresOf(id: string): Promise<number> {
  const row = await scene.database
    .selectFrom('invoices')
    .select('failed_checks')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.failed_checks
}

async function newsOf(id: string): Promise<number> {
  const row = await scene.database.selectFrom('invoices').select('news').where('id', '=', id).executeTakeFirstOrThrow()
  return Number(row.news)
}

async function answers(): Promise<Record<string, number>> {
  const answer = await fetch(`${scene.simulator.addresses.admin}/payments/delivery`)
  return ((await answer.json()) as { answers: Record<string, number> }).answers
}

/** Waits until all repeated callbacks have arrived and none is due. */
async function callbacksSettled(provider: string, externalId: string): Promise<void> {
  const steps = provider === 'nowpayments' ? 4 : 2
  await vi.waitUntil(
    async () => {
      const { rows } = await sql<{ times: string }>`
        SELECT sum(times) AS times FROM payment_events WHERE external_id = ${externalId}`.execute(scene.database)
      return Number(rows[0]?.times) >= 20 * steps
    },
    { timeout: 120_000 },
  )
}

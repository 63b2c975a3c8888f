import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { openProcessors } from '../../src/wiring/open-processors.ts'
import { PaymentScene } from './payment-scene.ts'

const PATH = '/v1/payments/create-invoice'

let scene: PaymentScene
beforeAll(async () => {
  scene = await PaymentScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(() => scene.happen('delivery', { away: false }))

// Before others, which read the list.
test('the coins of the active processor are listed for everybody; an outage is named, and known coins are still listed', async () => {
  const nobody = await scene.browserOf(undefined)
  const path = '/v1/payments/currencies'
  await scene.happen('delivery', { away: true })
  const refused = await nobody('GET', path)
  expect(refused).toMatchObject({ status: 503, body: { error: 'processor_unavailable' } })
  await scene.happen('delivery', { away: false })
  const { status, body } = await nobody('GET', path)
  expect([status, body.currencies]).toEqual([
    200,
    ['btc', 'eth', 'ltc', 'usdttrc20', 'usdcmatic'].map((id) => ({ id })),
  ])
  await scene.happen('delivery', { away: true })
  expect(await nobody('GET', path)).toMatchObject({ status: 200, body })
  await scene.happen('delivery', { away: false })
  expect(await scene.processors.current.byName('btcpay')?.listCurrencies()).toEqual(['btc', 'btc-ln', 'ltc'])
})

test('an invoice is created at the processor, and its owner can read its state', async () => {
  const account = await scene.newAccount()
  const ask = await scene.browserOf(account)
  const { status, body } = await ask('POST', PATH, { pack: 'pro_monthly', currency: 'BTC' })
  expect([status, body]).toEqual([
    200,
    {
      invoiceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      invoiceUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/pay\/\d+$/),
      pack: 'pro_monthly',
      priceUsd: 17,
      status: 'open',
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      paidAt: null,
      payCurrency: 'btc',
      amountDue: null,
      amountReceived: null,
      address: null,
      addressMemo: null,
      paymentUri: null,
      refundedAt: null,
    },
  ])
  const path = `/v1/payments/invoices/${body.invoiceId}`
  expect(await ask('GET', path)).toMatchObject({ status: 200, body })
  await using _ = scene.worker()
  const paid = await fetch(body.invoiceUrl, { method: 'POST', body: new URLSearchParams({ act: 'pay' }) })
  expect(paid.status).toBe(200)
  await expect.poll(async () => (await ask('GET', path)).body.status).toBe('paid')
  expect((await ask('GET', path)).body).toMatchObject({
    paidAt: expect.stringMatching(/Z$/),
    payCurrency: 'btc',
    amountDue: '0.00026563',
    amountReceived: '0.00026563',
    address: 'bc1qsimulated',
  })
  const subscription = await ask('GET', '/v1/payments/subscription')
  expect(subscription.body).toMatchObject({ provider: 'nowpayments', plan: 'pro_monthly', tier: 'pro' })

  const other = await scene.browserOf(await scene.newAccount())
  for (const url of [path, '/v1/payments/invoices/nonsense']) {
    expect(await other('GET', url)).toMatchObject({ status: 404, body: { error: 'invoice_not_found' } })
  }
})

test.each(['nowpayments', 'btcpay'] as const)(
  'an invoice at %s that is half paid shows what is due and what has come',
  async (provider) => {
    const account = await scene.newAccount()
    const ask = await scene.browserOf(account)
    const invoice = await scene.newInvoice(provider, 'credits_10k', account)
    await using _ = scene.worker()
    await scene.pay(invoice, { act: 'pay', share: 0.5 })
    const shown = async () => (await ask('GET', `/v1/payments/invoices/${invoice.id}`)).body
    await expect.poll(async () => (await shown()).amountReceived).toBe('0.00003906')
    const body = await shown()
    expect(body).toMatchObject({
      // BTCPay waits for the rest until the invoice expires.
      status: provider === 'btcpay' ? 'open' : 'underpaid',
      payCurrency: 'btc',
      amountDue: '0.00007813',
      amountReceived: '0.00003906',
      address: 'bc1qsimulated',
      addressMemo: null,
      paymentUri: provider === 'btcpay' ? 'bitcoin:bc1qsimulated?amount=0.00007813' : null,
    })
    expect((await ask('GET', '/v1/payments/invoices')).body.invoices).toEqual([body])
  },
)

test('the invoices of an account are listed, newest first, and nobody else sees them', async () => {
  const ask = await scene.browserOf(await scene.newAccount())
  const first = (await ask('POST', PATH, { pack: 'credits_10k' })).body
  const second = (await ask('POST', PATH, { pack: 'pro_monthly' })).body
  expect(await ask('GET', '/v1/payments/invoices')).toMatchObject({ status: 200, body: { invoices: [second, first] } })
  const other = await scene.browserOf(await scene.newAccount())
  expect((await other('GET', '/v1/payments/invoices')).body).toEqual({ invoices: [], next_cursor: null })
  const nobody = await scene.browserOf(undefined)
  expect((await nobody('GET', '/v1/payments/invoices')).status).toBe(401)
})

test('the same idempotency key and body return the same invoice, also concurrently; another body is a mismatch', async () => {
  const ask = await scene.browserOf(await scene.newAccount())
  const headers = { 'idempotency-key': 'one' }
  const made = await Promise.all(Array.from({ length: 8 }, () => ask('POST', PATH, { pack: 'credits_10k' }, headers)))
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(made.map(({ body }) => `${body.invoiceId} ${body.invoiceUrl}`)).size).toBe(1)
  const other = await ask('POST', PATH, { pack: 'credits_100k' }, headers)
  expect(other).toMatchObject({ status: 409, body: { error: 'idempotency_mismatch' } })
  const stranger = await scene.browserOf(await scene.newAccount())
  expect((await stranger('POST', PATH, { pack: 'credits_100k' }, headers)).status).toBe(200)
})

test('at most five invoices are unpaid at a time, also when created concurrently', async () => {
  const ask = await scene.browserOf(await scene.newAccount())
  // All connections are open first, so that the requests really run in parallel.
  await Promise.all(Array.from({ length: 12 }, () => sql`SELECT pg_sleep(0.3)`.execute(scene.database)))
  const made = await Promise.all(Array.from({ length: 12 }, () => ask('POST', PATH, { pack: 'credits_10k' })))
  const statuses = made.map(({ status }) => status).toSorted((one, other) => one - other)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 409, 409, 409, 409, 409, 409, 409])
  expect(made.find(({ status }) => status === 409)?.body.error).toBe('invoice_limit_reached')
})

test('while the processor is unavailable no invoice is created, and the same idempotency key creates it later', async () => {
  const account = await scene.newAccount()
  const ask = await scene.browserOf(account)
  const headers = { 'idempotency-key': 'later' }
  await scene.happen('delivery', { away: true })
  for (let time = 0; time < 7; time++) {
    const refused = await ask('POST', PATH, { pack: 'credits_10k' }, time === 0 ? headers : {})
    expect(refused).toMatchObject({ status: 503, body: { error: 'processor_unavailable' } })
    expect(refused.headers['retry-after']).toBe('5')
  }
  await scene.happen('delivery', { away: false })
  expect((await ask('POST', PATH, { pack: 'credits_10k' }, headers)).body.status).toBe('open')
  const { rows } = await sql<{ state: string }>`
    SELECT state, count(*)::int AS count FROM invoices WHERE account_id = ${account} GROUP BY state ORDER BY state
  `.execute(scene.database)
  expect(rows).toEqual([
    { state: 'failed', count: 6 },
    { state: 'open', count: 1 },
  ])
})

test('a product that cannot be bought is refused with the reason', async () => {
  const account = await scene.newAccount()
  const ask = await scene.browserOf(account)
  for (const body of [
    {},
    { pack: 'gold' },
    { pack: 'credits_10k', priceUsd: 1 },
    { pack: 'credits_10k', currency: '!' },
  ]) {
    expect(await ask('POST', PATH, body)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  }
  const key = await ask('POST', PATH, { pack: 'credits_10k' }, { 'idempotency-key': 'x'.repeat(256) })
  expect(key.status).toBe(400)
  await scene.access.accounts.setTier(account, { tier: 'pro', monthlyCredits: 0 })
  expect(await ask('POST', PATH, { pack: 'scale_annual' })).toMatchObject({
    status: 409,
    body: { error: 'plan_arranged' },
  })
  expect((await ask('POST', PATH, { pack: 'credits_500k' })).status).toBe(200)
})

/** Counts how often the processor is asked to create an invoice, with our API key. */
function countOrders(): { count: number } {
  const { active, ...processors } = scene.processors.current
  if (active === undefined) throw new Error('no processor is active')
  const orders = { count: 0 }
  const createInvoice: typeof active.createInvoice = (...order) => {
    orders.count++
    return active.createInvoice(...order)
  }
  scene.processors.current = { ...processors, active: { ...active, createInvoice } }
  return orders
}

test('a coin that the processor does not list is refused without asking it, and leaves no invoice', async () => {
  const ask = await scene.browserOf(await scene.newAccount())
  const orders = countOrders()
  for (let time = 0; time < 41; time++) {
    const refused = await ask('POST', PATH, { pack: 'credits_10k', currency: 'zzzz' })
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(refused.body.message).toContain('/v1/payments/currencies')
  }
  expect(orders.count).toBe(0)
  expect((await ask('GET', '/v1/payments/invoices')).body.invoices).toEqual([])
})

test('an account tries at most twenty invoices an hour, whatever becomes of them, also under one idempotency key', async () => {
  const ask = await scene.browserOf(await scene.newAccount())
  const orders = countOrders()
  await scene.happen('delivery', { away: true })
  const headers = { 'idempotency-key': 'again and again' }
  for (let time = 0; time < 20; time++) {
    const failed = await ask('POST', PATH, { pack: 'credits_10k' }, time < 10 ? headers : {})
    expect(failed.body.error).toBe('processor_unavailable')
  }
  await scene.happen('delivery', { away: false })
  for (const each of [headers, {}]) {
    const refused = await ask('POST', PATH, { pack: 'credits_10k' }, each)
    expect(refused).toMatchObject({
      status: 409,
      body: { error: 'invoice_limit_reached', details: { most_an_hour: 20 } },
    })
  }
  expect(orders.count).toBe(20)
  const other = await scene.browserOf(await scene.newAccount())
  expect((await other('POST', PATH, { pack: 'credits_10k' })).status).toBe(200)
})

test('an invoice that the processor did not create is deleted after a day, and no other', async () => {
  const account = await scene.newAccount()
  const ask = await scene.browserOf(account)
  const made = (await ask('POST', PATH, { pack: 'credits_10k' })).body.invoiceId
  await scene.happen('delivery', { away: true })
  for (let time = 0; time < 2; time++) await ask('POST', PATH, { pack: 'credits_10k' })
  await scene.happen('delivery', { away: false })
  const listed = async (): Promise<{ invoiceId: string; status: string }[]> =>
    (await ask('GET', '/v1/payments/invoices')).body.invoices
  const [newer, older] = await listed()
  await sql`
    UPDATE invoices SET created_at = now() - interval '25 hours'
    WHERE id IN (${made}, ${older?.invoiceId ?? ''})
  `.execute(scene.database)
  await using _ = scene.worker()
  await expect.poll(async () => (await listed()).map(({ invoiceId }) => invoiceId)).toEqual([newer?.invoiceId, made])
})

test('an API key is refused in place of a session, and another site cannot buy', async () => {
  const nobody = await scene.browserOf(undefined)
  const key = await scene.access.accounts
    .create('keyed')
    .then(({ id }) => issueKey(scene.access, { accountId: id, label: 'k' }))
  expect((await nobody('POST', PATH, { pack: 'credits_10k' }, { 'x-api-key': key.key })).status).toBe(401)
  const ask = await scene.browserOf(await scene.newAccount())
  const crossed = await ask('POST', PATH, { pack: 'credits_10k' }, { origin: 'https://evil.example' })
  expect(crossed).toMatchObject({ status: 403, body: { error: 'cross_site_refused' } })
})

test('a configured processor needs its settings; without a processor nothing can be bought', async () => {
  const { BTCPAY_API_KEY: _, ...rest } = scene.config
  const settings = { ...rest, BTCPAY_API_KEY: undefined, PAYMENT_PROCESSOR: 'btcpay' as const }
  expect(() => openProcessors(settings)).toThrow(/BTCPAY_API_KEY/)
  expect(openProcessors({ ...scene.config, PAYMENT_PROCESSOR: 'none' }).active).toBeUndefined()
  scene.processors.current = openProcessors({ ...scene.config, PAYMENT_PROCESSOR: 'none' })
  const ask = await scene.browserOf(await scene.newAccount())
  const refused = await ask('POST', PATH, { pack: 'credits_10k' })
  expect(refused).toMatchObject({ status: 501, body: { error: 'payments_not_configured' } })
  expect(await ask('GET', '/v1/payments/currencies')).toMatchObject({
    status: 501,
    body: { error: 'payments_not_configured' },
  })
})

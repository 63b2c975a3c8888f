import { createHmac } from 'node:crypto'
import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PaymentScene, WEBHOOK_SECRET } from './payment-scene.ts'

let scene: PaymentScene
beforeAll(async () => {
  scene = await PaymentScene.open('btcpay')
})
afterAll(() => scene[Symbol.asyncDispose]())

function signed(body: string): Record<string, string> {
  const hex = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')
  return { 'content-type': 'application/json; charset=utf-8', 'btcpay-sig': `sha256=${hex}` }
}

async function call(body: string, headers = signed(body), processor = 'btcpay') {
  const answer = await fetch(`${scene.address}/v1/payments/callbacks/${processor}`, { method: 'POST', body, headers })
  return { status: answer.status, body: (await answer.json()) as { error?: string } }
}

async function eventsOf(externalId: string) {
  return scene.database.selectFrom('payment_events').selectAll().where('external_id', '=', externalId).execute()
}

test('the body of a callback is stored unchanged, once, and its invoice is due at once', async () => {
  const account = await scene.newAccount()
  const { id, externalId } = await scene.newInvoice('btcpay', 'credits_10k', account)
  const body = `{ "invoiceId":"${externalId}",\t"note": "ü\\u00fc"  }\n`
  for (let time = 0; time < 3; time++) expect(await call(body)).toEqual({ status: 200, body: { received: true } })
  const events = await eventsOf(externalId)
  expect(events.map(({ body: kept, times }) => [kept.toString(), times])).toEqual([[body, '3']])
  const row = await scene.database.selectFrom('invoices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect([row.news, row.state, (row.next_check_at?.getTime() ?? 0) <= (await postgresNowMs(scene.database))]).toEqual([
    '3',
    'open',
    true,
  ])
  expect(await scene.grantsOf(account)).toEqual([])
})

test('a callback with a wrong signature is refused and not stored', async () => {
  const body = '{"invoiceId":"nobody"}'
  expect(await call(body, signed(`${body} `))).toMatchObject({ status: 401, body: { error: 'signature_refused' } })
  expect(await call(body, { 'content-type': 'application/json' })).toMatchObject({ status: 401 })
  expect(await eventsOf('nobody')).toEqual([])
})

test('a callback of an unknown processor is not found, one that is too large is refused', async () => {
  expect(await call('{}', signed('{}'), 'coinbase')).toMatchObject({ status: 404, body: { error: 'not_found' } })
  const large = JSON.stringify({ invoiceId: 'x'.repeat(65 * 1024) })
  expect(await call(large)).toMatchObject({ status: 413, body: { error: 'payload_too_large' } })
})

test('a callback of any content type is read, because the signature decides', async () => {
  const body = '{"invoiceId":"typed"}'
  expect((await call(body, { ...signed(body), 'content-type': 'text/weird' })).status).toBe(200)
})

test('hostile bytes of any content type are refused, never with a 5xx, and not stored', async () => {
  const count = async () => (await scene.database.selectFrom('payment_events').select('id').execute()).length
  const before = await count()
  const bodies = [
    `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    '{"a":'.repeat(12_000),
    new Uint8Array([0x7b, 0x22, 0xff, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
    `{"invoice_id":${'9'.repeat(1_000)},"payment_id":1e999}`,
    '{"order_id":"\\u0000\\ud800"}',
    '{"invoiceId":"a","invoiceId":"b"',
    '',
  ]
  const types = ['application/json', 'application/json\ta', 'text/weird;;', 'multipart/form-data', '/', '']
  const statuses = new Set<number>()
  for (const processor of ['btcpay', 'nowpayments', '%00', '__proto__']) {
    for (const body of bodies) {
      for (const type of types) {
        const headers = { 'content-type': type, 'btcpay-sig': `sha256=${'0'.repeat(64)}`, 'x-nowpayments-sig': '00' }
        const url = `${scene.address}/v1/payments/callbacks/${processor}`
        const answer = await fetch(url, { method: 'POST', body, headers })
        expect(Object.keys((await answer.json()) as object), `${processor} ${type}`).toContain('error')
        statuses.add(answer.status)
      }
    }
  }
  expect([...statuses].filter((status) => ![400, 401, 404, 415].includes(status))).toEqual([])
  expect(await count()).toBe(before)
})

test('a signed callback whose names can not be stored is kept for manual review', async () => {
  expect((await call('{"invoiceId":"\\u0000"}')).status).toBe(200)
})

test('a callback for an unknown invoice is stored for manual review', async () => {
  expect((await call('{"invoiceId":"stranger"}')).status).toBe(200)
  expect(await scene.reviewsOf({ id: 'stranger' })).toEqual(['unknown_invoice'])
})

test('without its store a callback is refused, so that the processor sends it again', async () => {
  const postgres = scene.stack.engine('postgres')
  await postgres.kill()
  try {
    expect(await call('{"invoiceId":"later"}')).toMatchObject({ status: 503, body: { error: 'store_unavailable' } })
  } finally {
    await postgres.restart()
  }
})

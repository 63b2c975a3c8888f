import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SIMULATED_IPN_SECRET } from '../src/payments/callback-text.ts'
import type { Simulator } from '../src/simulator.ts'
import { openSimulator } from './open-simulator.ts'

interface Call {
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

/** A callback server that records calls, and refuses the first few. */
async function openShop(refusals = 0): Promise<{ url: string; calls: Call[] }> {
  const calls: Call[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => {
      body += piece.toString()
    })
    request.on('end', () => {
      calls.push({ body, headers: request.headers })
      response.writeHead(calls.length <= refusals ? 500 : 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls }
}

async function send(url: string, body: object, headers: Record<string, string> = {}) {
  const all = { 'content-type': 'application/json', 'x-api-key': 'k', authorization: 'token k', ...headers }
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: all })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

async function orderCoins({ addresses }: Simulator, callbackUrl: string): Promise<string> {
  const order = { price_amount: 17, price_currency: 'usd', order_id: 'o-1', ipn_callback_url: callbackUrl }
  const { body } = await send(`${addresses.nowPayments}/invoice`, order)
  return body.id
}

async function orderBtc({ addresses }: Simulator, url: string): Promise<string> {
  const store = `${addresses.btcPay}/api/v1/stores/s`
  await send(`${store}/webhooks`, { url, secret: 'hook' })
  const order = { amount: '17.00', currency: 'USD', metadata: { orderId: 'o-1' } }
  return (await send(`${store}/invoices`, order)).body.id
}

function happen({ addresses }: Simulator, path: string, body: object) {
  return send(`${addresses.admin}/payments/${path}`, body)
}

function statusesOf(calls: readonly Call[]): string[] {
  return calls.map(({ body }) => JSON.parse(body)).map(({ payment_status, type }) => payment_status ?? type)
}

test('NOWPayments passes through its states and signs each callback, in one of its two forms', async () => {
  const simulator = await openSimulator()
  const { url, calls } = await openShop()
  const id = await orderCoins(simulator, url)
  await happen(simulator, `invoices/${id}`, { act: 'pay' })
  await vi.waitUntil(() => calls.length === 4, { timeout: 120_000 })
  expect(statusesOf(calls).toSorted()).toEqual(['confirmed', 'confirming', 'finished', 'sending'])
  const forms = calls.map(({ body, headers }) => {
    const payment = JSON.parse(body)
    const flat = JSON.stringify(payment, Object.keys(payment).sort())
    const { fee, ...rest } = payment
    const keys = [...Object.keys(rest), 'fee', ...Object.keys(fee)].sort()
    const digestOf = (text: string) => createHmac('sha512', SIMULATED_IPN_SECRET).update(text).digest('hex')
    const deep = JSON.stringify(payment, keys)
    return [flat, deep].findIndex((text) => digestOf(text) === headers['x-nowpayments-sig'])
  })
  expect(new Set(forms)).toEqual(new Set([0, 1]))
  const listed = await fetch(`${simulator.addresses.nowPayments}/payment/?invoiceId=${id}`, {
    headers: { 'x-api-key': 'k' },
  })
  expect(await listed.json()).toMatchObject({
    data: [{ payment_status: 'finished', order_id: 'o-1', price_amount: 17 }],
  })
})

test('BTCPay signs the exact bytes, and repeats a refused delivery as a new delivery', async () => {
  const simulator = await openSimulator()
  const { url, calls } = await openShop(1)
  const id = await orderBtc(simulator, url)
  await happen(simulator, 'delivery', { haste: 1_000 })
  await happen(simulator, `invoices/${id}`, { act: 'expire' })
  await vi.waitUntil(() => calls.length === 2, { timeout: 120_000 })
  for (const { body, headers } of calls) {
    expect(headers['btcpay-sig']).toBe(`sha256=${createHmac('sha256', 'hook').update(body).digest('hex')}`)
  }
  const [first, second] = calls.map(({ body }) => JSON.parse(body))
  expect([first.isRedelivery, second.isRedelivery, first.deliveryId === second.deliveryId]).toEqual([
    false,
    true,
    false,
  ])
})

test('callbacks can be lost, repeated, reordered and forged', async () => {
  const simulator = await openSimulator()
  const { url, calls } = await openShop()
  const id = await orderCoins(simulator, url)
  await happen(simulator, 'delivery', { lose: true })
  await happen(simulator, `invoices/${id}`, { act: 'begin' })
  await happen(simulator, 'delivery', { lose: false, copies: 2, reorder: true })
  await happen(simulator, `invoices/${id}`, { act: 'pay' })
  await vi.waitUntil(() => calls.length === 8, { timeout: 120_000 })
  const steps = ['finished', 'finished', 'sending', 'sending', 'confirmed', 'confirmed', 'confirming', 'confirming']
  expect(statusesOf(calls)).toEqual(steps)
  await happen(simulator, 'delivery', { copies: 1, reorder: false })
  await happen(simulator, `invoices/${id}/forge`, {})
  await vi.waitUntil(() => calls.length === 9, { timeout: 120_000 })
  expect(calls.at(-1)?.headers['x-nowpayments-sig']).toMatch(/0000$/)
})

test('late payments, partial payments and overpayments look as they do at each processor', async () => {
  const simulator = await openSimulator()
  const { url } = await openShop()
  const late = await orderBtc(simulator, url)
  await happen(simulator, `invoices/${late}`, { act: 'expire' })
  const paidLate = await happen(simulator, `invoices/${late}`, { act: 'pay' })
  expect(paidLate.body).toMatchObject({ status: 'Expired', additionalStatus: 'PaidLate' })
  const marked = await happen(simulator, `invoices/${late}`, { act: 'mark' })
  expect(marked.body).toMatchObject({ status: 'Settled', additionalStatus: 'Marked' })
  const over = await orderBtc(simulator, url)
  expect((await happen(simulator, `invoices/${over}`, { act: 'pay', share: 2 })).body.additionalStatus).toBe('PaidOver')
  expect((await happen(simulator, `invoices/${over}`, { act: 'refund' })).status).toBe(409)
  const part = await orderCoins(simulator, url)
  expect((await happen(simulator, `invoices/${part}`, { act: 'pay', share: 0.5 })).body.status).toBe('partially_paid')
  expect((await happen(simulator, `invoices/${part}`, { act: 'pay', share: 0.5 })).body.status).toBe('finished')
})

test('unavailable processors answer 503; a request without a key is refused', async () => {
  const simulator = await openSimulator()
  const { nowPayments, btcPay } = simulator.addresses
  expect((await fetch(`${nowPayments}/payment/1`)).status).toBe(403)
  expect((await fetch(`${btcPay}/api/v1/stores/s/invoices/1`)).status).toBe(401)
  await happen(simulator, 'delivery', { away: true })
  expect((await fetch(`${nowPayments}/payment/1`)).status).toBe(503)
  expect((await fetch(`${btcPay}/api/v1/stores/s/invoices/1`)).status).toBe(503)
})

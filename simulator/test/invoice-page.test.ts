import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Simulator } from '../src/simulator.ts'
import { openSimulator } from './open-simulator.ts'

const AS_BROWSER = { accept: 'text/html,application/xhtml+xml' }
const JSON_BODY = { 'content-type': 'application/json', 'x-api-key': 'k', authorization: 'token k' }
const SMALL = { size: { hot: 0, medium: 0, cold: 0 } }

/** Counts callbacks. */
async function openShop(): Promise<{ url: string; calls: () => number }> {
  let calls = 0
  const server = createServer((request, response) => {
    calls++
    request.resume().on('end', () => response.writeHead(200).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls: () => calls }
}

async function post(url: string, body: object): Promise<Record<string, string>> {
  const answer = await fetch(url, { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) })
  return (await answer.json()) as Record<string, string>
}

const ORDERS = {
  async nowpayments({ addresses }: Simulator, shopUrl: string, description: string): Promise<string> {
    const order = { price_amount: 17, price_currency: 'usd', order_id: 'o-1', order_description: description }
    const urls = { ipn_callback_url: shopUrl, success_url: `${shopUrl}account?a=1&b="2"` }
    return (await post(`${addresses.nowPayments}/invoice`, { ...order, ...urls })).invoice_url ?? ''
  },
  async btcpay({ addresses }: Simulator, shopUrl: string, description: string): Promise<string> {
    const store = `${addresses.btcPay}/api/v1/stores/s`
    await post(`${store}/webhooks`, { url: shopUrl, secret: 'hook' })
    const order = { amount: '17.00', currency: 'USD', metadata: { orderId: 'o-1', itemDesc: description } }
    const checkout = { expirationMinutes: 60, redirectURL: `${shopUrl}account?a=1&b="2"` }
    return (await post(`${store}/invoices`, { ...order, checkout })).checkoutLink ?? ''
  },
}
const PROCESSORS = ['nowpayments', 'btcpay'] as const

async function choose(url: string, act: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { method: 'POST', headers, body: new URLSearchParams({ act }), redirect: 'manual' })
  return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') }
}

test.each(PROCESSORS)('%s: the invoice page shows what is paid, and its form pays it', async (processor) => {
  const simulator = await openSimulator(SMALL)
  const shop = await openShop()
  const url = await ORDERS[processor](simulator, shop.url, 'Bookreel pro_monthly')
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pay\/\w+$/)
  const before = await fetch(url, { headers: AS_BROWSER })
  expect(before.headers.get('content-security-policy')).toContain("default-src 'none'")
  const page = await before.text()
  for (const text of ['Bookreel pro_monthly', '17.00 USD', 'Waiting for the payment.', 'o-1', 'Expires'])
    expect(page).toContain(text)
  expect([...page.matchAll(/name="act" value="([\w-]+)"/g)].map(([, name]) => name)).toEqual([
    'pay',
    'pay-half',
    'pay-too-much',
    'expire',
    'fail',
  ])

  const paid = await choose(url, 'pay', AS_BROWSER)
  expect([paid.status, paid.location]).toEqual([303, new URL(url).pathname])
  await vi.waitUntil(() => shop.calls() >= 2, { timeout: 120_000 })
  await vi.waitUntil(async () => (await (await fetch(url, { headers: AS_BROWSER })).text()).includes('status 200'), {
    timeout: 120_000,
  })
  expect(await (await fetch(url, { headers: AS_BROWSER })).text()).toContain('Paid in full.')
})

test.each(PROCESSORS)('%s: partial payments, overpayments, expiry and failure are possible', async (processor) => {
  const simulator = await openSimulator(SMALL)
  const shop = await openShop()
  const order = () => ORDERS[processor](simulator, shop.url, 'pack')
  const after = async (...acts: string[]) => {
    const url = await order()
    let text = ''
    for (const act of acts) ({ text } = await choose(url, act))
    return JSON.parse(text).summary
  }
  expect(await after('pay-half')).toBe('Paid in part; the rest is due.')
  expect(await after('pay-half', 'pay')).toBe('Paid in full.')
  expect(await after('pay-too-much')).toBe('Paid, with more money than was due.')
  expect(await after('expire')).toBe('Expired without a payment.')
  expect(await after('fail')).toBe('The payment failed.')
})

test('an act that is not possible is refused with those that are', async () => {
  const simulator = await openSimulator(SMALL)
  const url = await ORDERS.btcpay(simulator, (await openShop()).url, 'pack')
  expect(await choose(url, 'steal')).toMatchObject({ status: 409, text: expect.stringContaining('pay-half') })
  await choose(url, 'pay')
  expect(await choose(url, 'pay')).toMatchObject({ status: 409, text: expect.stringContaining('Nothing more') })
  expect((await fetch(`${url}0`)).status).toBe(404)
  const missing = await fetch(`${url}0`, { headers: AS_BROWSER })
  expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('no invoice with this id')])
})

test.each(PROCESSORS)('%s: texts of the shop are escaped', async (processor) => {
  const simulator = await openSimulator(SMALL)
  const url = await ORDERS[processor](simulator, (await openShop()).url, `<script>alert('1')</script>"&`)
  const page = await (await fetch(url, { headers: AS_BROWSER })).text()
  expect(page).not.toContain('<script')
  expect(page).toContain('&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;')
  expect(page).toMatch(/href="http:\/\/127\.0\.0\.1:\d+\/account\?a=1&amp;b=(&quot;|%22)2(&quot;|%22)"/)
  const scheme = await post(`${simulator.addresses.nowPayments}/invoice`, {
    price_amount: 17,
    price_currency: 'usd',
    order_id: 'o-1',
    success_url: 'javascript:alert(1)',
  })
  expect(scheme.code).toBe('INVALID_REQUEST_PARAMS')
})

test('--help says how to pay', async () => {
  const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--help'])
  expect(stdout).toContain('curl -s -d act=pay <invoice_url>')
})

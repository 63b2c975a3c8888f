import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { btcPay } from './btcpay.ts'
import { nowPayments } from './nowpayments.ts'

const NOW = 'the current secret'
const FORMER = 'the previous secret'
const URL = 'http://127.0.0.1:1'

const coins = nowPayments({ url: URL, apiKey: 'k', secrets: [NOW, FORMER], callbackUrl: URL, returnUrl: URL })
const server = btcPay({ url: URL, storeId: 's', apiKey: 'k', secrets: [NOW, FORMER], returnUrl: URL })

const BODY = {
  payment_status: 'finished',
  payment_id: 5_077_125_051,
  invoice_id: 4_522_625_843,
  order_id: 'c8a1f3f2-0f6a-4a43-9d2c-2f1f8f6a8d11',
  price_amount: 17,
  actually_paid: 1e-7,
  fee: { currency: 'btc', depositFee: 0.000001 },
}
const HINT = { externalId: '4522625843', orderId: BODY.order_id, paymentId: '5077125051' }
/** Written by hand: keys sorted at every depth, and the same with an empty `fee`. */
const DEEP = `{"actually_paid":1e-7,"fee":{"currency":"btc","depositFee":0.000001},"invoice_id":4522625843,"order_id":"${BODY.order_id}","payment_id":5077125051,"payment_status":"finished","price_amount":17}`
const FLAT = DEEP.replace('{"currency":"btc","depositFee":0.000001}', '{}')

function coinSignature(text: string, secret = NOW): string {
  return createHmac('sha512', secret).update(text).digest('hex')
}

function verified(body: object | string, signature: string | undefined) {
  const raw = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return coins.verifyCallback(raw, { 'x-nowpayments-sig': signature })
}

describe('NOWPayments', () => {
  test('accepts both signed forms with both secrets, for any order of keys in the body', () => {
    for (const text of [DEEP, FLAT]) {
      for (const secret of [NOW, FORMER]) {
        expect(verified(BODY, coinSignature(text, secret))).toEqual(HINT)
        expect(verified(Object.fromEntries(Object.entries(BODY).reverse()), coinSignature(text, secret))).toEqual(HINT)
      }
    }
    expect(verified(BODY, coinSignature(DEEP).toUpperCase())).toEqual(HINT)
  })

  test('refuses every other signature', () => {
    for (const signature of [
      undefined,
      '',
      'x',
      coinSignature(DEEP, 'another secret'),
      coinSignature(DEEP).slice(0, -2),
      `${coinSignature(DEEP)}00`,
      coinSignature(JSON.stringify(BODY)),
      createHmac('sha256', NOW).update(DEEP).digest('hex'),
    ]) {
      expect(verified(BODY, signature), String(signature)).toBeUndefined()
    }
    for (const body of ['', 'null', '[]', '"x"', '{', '17']) expect(verified(body, coinSignature(body))).toBeUndefined()
  })

  test('members that the second form does not sign are not read', () => {
    const changed = { ...BODY, fee: { currency: 'eth', depositFee: 900, paid: true } }
    expect(verified(changed, coinSignature(FLAT))).toEqual(HINT)
    expect(verified(changed, coinSignature(DEEP))).toBeUndefined()
  })

  test('refuses any change of a member that is read', () => {
    const field = fc.constantFrom('payment_id', 'invoice_id', 'order_id', 'payment_status', 'price_amount')
    fc.assert(
      fc.property(field, fc.oneof(fc.string(), fc.integer(), fc.constant(null)), (name, value) => {
        const changed = { ...BODY, [name]: value }
        fc.pre(JSON.stringify(changed) !== JSON.stringify(BODY))
        for (const text of [DEEP, FLAT]) expect(verified(changed, coinSignature(text))).toBeUndefined()
      }),
    )
  })
})

/** Bytes that anybody can send, and that are no callback. */
const HOSTILE: Readonly<Record<string, Buffer>> = {
  'nested arrays': Buffer.from(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`),
  'nested objects': Buffer.from(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  'unclosed arrays': Buffer.from('['.repeat(60_000)),
  'invalid UTF-8': Buffer.from([...Buffer.from('{"order_id":"'), 0xff, 0xfe, 0xc0, 0x80, ...Buffer.from('"}')]),
  'a lone surrogate': Buffer.from('{"order_id":"\\ud800"}'),
  'a NUL character': Buffer.from('{"order_id":"\\u0000","invoiceId":"\\u0000"}'),
  'huge numbers': Buffer.from(`{"payment_id":1e999,"invoice_id":${'9'.repeat(400)},"invoiceId":1e400}`),
  'duplicate members': Buffer.from('{"order_id":"a","order_id":"b","order_id":{"order_id":[]}}'),
  'the prototype': Buffer.from('{"__proto__":{"invoiceId":"x"},"constructor":{"prototype":{"order_id":"y"}}}'),
  'many members': Buffer.from(`{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":0`).join()}}`),
  'a byte order mark': Buffer.from('\ufeff{"invoiceId":"abc"}', 'utf16le'),
  truncated: Buffer.from('{"order_id":"a'),
  empty: Buffer.alloc(0),
  zeros: Buffer.alloc(64),
}

test.each(Object.keys(HOSTILE))('hostile bytes are refused without an error: %s', (name) => {
  const bytes = HOSTILE[name] ?? Buffer.alloc(0)
  const some = 'a'.repeat(128)
  expect(coins.verifyCallback(bytes, { 'x-nowpayments-sig': some })).toBeUndefined()
  expect(server.verifyCallback(bytes, { 'btcpay-sig': `sha256=${some.slice(64)}` })).toBeUndefined()
  // With a true signature they name no invoice that the database could not store.
  const signature = `sha256=${createHmac('sha256', NOW).update(bytes).digest('hex')}`
  expect(server.verifyCallback(bytes, { 'btcpay-sig': signature })).toEqual({})
})

test('any bytes are refused without an error', () => {
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 4_096 }),
    fc.json({ maxDepth: 30 }).map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(anyBytes, fc.string(), (bytes, signature) => {
      expect(coins.verifyCallback(Buffer.from(bytes), { 'x-nowpayments-sig': signature })).toBeUndefined()
      expect(server.verifyCallback(Buffer.from(bytes), { 'btcpay-sig': signature })).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})

describe('BTCPay', () => {
  const text = '{"deliveryId":"d","type":"InvoiceSettled","invoiceId":"abc"}'
  const sign = (bytes: string, secret = NOW) => `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`
  const verify = (bytes: string, signature: string | undefined) =>
    server.verifyCallback(Buffer.from(bytes), { 'btcpay-sig': signature })

  test('accepts only the exact bytes, with both secrets', () => {
    expect(verify(text, sign(text))).toEqual({ externalId: 'abc' })
    expect(verify(text, sign(text, FORMER))).toEqual({ externalId: 'abc' })
    expect(verify(`${text} `, sign(text))).toBeUndefined()
    expect(verify(JSON.stringify(JSON.parse(`${text}`), null, 1), sign(text))).toBeUndefined()
  })

  test('refuses every other signature', () => {
    const [, hex = ''] = sign(text).split('=')
    for (const signature of [undefined, '', hex, `sha512=${hex}`, `sha256=${hex.slice(2)}`, `sha256=${hex}00`]) {
      expect(verify(text, signature), String(signature)).toBeUndefined()
    }
    expect(verify(text, sign(text, 'another secret'))).toBeUndefined()
  })

  test('a signed body without an invoice id gives an empty hint', () => {
    for (const body of ['{}', 'no json', '{"invoiceId":7}']) expect(verify(body, sign(body))).toEqual({})
  })
})

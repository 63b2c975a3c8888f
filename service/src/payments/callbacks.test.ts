import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { btcPay } from './btcpay.ts'
import { nowPayments } from './nowpayments.ts'

const NOW = 'the secret in use'
const FORMER = 'the one before it'
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
/** By hand: keys sorted at every depth, and the same with nothing inside `fee`. */
const DEEP = `{"actually_paid":1e-7,"fee":{"currency":"btc","depositFee":0.000001},"invoice_id":4522625843,"order_id":"${BODY.order_id}","payment_id":5077125051,"payment_status":"finished","price_amount":17}`
const FLAT = DEEP.replace('{"currency":"btc","depositFee":0.000001}', '{}')

function coinSignature(text: string, secret = NOW): string {
  return createHmac('sha512', secret).update(text).digest('hex')
}

function asked(body: object | string, signature: string | undefined) {
  const raw = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return coins.verifyCallback(raw, { 'x-nowpayments-sig': signature })
}

describe('NOWPayments', () => {
  test('both published forms count, under both secrets, however the keys stand in the body', () => {
    for (const text of [DEEP, FLAT]) {
      for (const secret of [NOW, FORMER]) {
        expect(asked(BODY, coinSignature(text, secret))).toEqual(HINT)
        expect(asked(Object.fromEntries(Object.entries(BODY).reverse()), coinSignature(text, secret))).toEqual(HINT)
      }
    }
    expect(asked(BODY, coinSignature(DEEP).toUpperCase())).toEqual(HINT)
  })

  test('nothing else does', () => {
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
      expect(asked(BODY, signature), String(signature)).toBeUndefined()
    }
    for (const body of ['', 'null', '[]', '"x"', '{', '17']) expect(asked(body, coinSignature(body))).toBeUndefined()
  })

  test('what the second form does not sign is not read either', () => {
    const changed = { ...BODY, fee: { currency: 'eth', depositFee: 900, paid: true } }
    expect(asked(changed, coinSignature(FLAT))).toEqual(HINT)
    expect(asked(changed, coinSignature(DEEP))).toBeUndefined()
  })

  test('any change of what is read is refused', () => {
    const field = fc.constantFrom('payment_id', 'invoice_id', 'order_id', 'payment_status', 'price_amount')
    fc.assert(
      fc.property(field, fc.oneof(fc.string(), fc.integer(), fc.constant(null)), (name, value) => {
        const changed = { ...BODY, [name]: value }
        fc.pre(JSON.stringify(changed) !== JSON.stringify(BODY))
        for (const text of [DEEP, FLAT]) expect(asked(changed, coinSignature(text))).toBeUndefined()
      }),
    )
  })
})

describe('BTCPay', () => {
  const text = '{"deliveryId":"d","type":"InvoiceSettled","invoiceId":"abc"}'
  const sign = (bytes: string, secret = NOW) => `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`
  const verify = (bytes: string, signature: string | undefined) =>
    server.verifyCallback(Buffer.from(bytes), { 'btcpay-sig': signature })

  test('the exact bytes count, under both secrets', () => {
    expect(verify(text, sign(text))).toEqual({ externalId: 'abc' })
    expect(verify(text, sign(text, FORMER))).toEqual({ externalId: 'abc' })
    expect(verify(`${text} `, sign(text))).toBeUndefined()
    expect(verify(JSON.stringify(JSON.parse(`${text}`), null, 1), sign(text))).toBeUndefined()
  })

  test('nothing else does', () => {
    const [, hex = ''] = sign(text).split('=')
    for (const signature of [undefined, '', hex, `sha512=${hex}`, `sha256=${hex.slice(2)}`, `sha256=${hex}00`]) {
      expect(verify(text, signature), String(signature)).toBeUndefined()
    }
    expect(verify(text, sign(text, 'another secret'))).toBeUndefined()
  })

  test('signed, but about nothing that we know how to read: heard of, without a name', () => {
    for (const body of ['{}', 'no json', '{"invoiceId":7}']) expect(verify(body, sign(body))).toEqual({})
  })
})

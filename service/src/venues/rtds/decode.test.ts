import { expect, test } from 'vitest'
import { decodePriceFrame } from './decode.ts'

const AT_MS = 1_794_709_200_000
const frame = (topic: string, payload: object, type = 'update') =>
  JSON.stringify({ topic, type, timestamp: AT_MS + 1_500, payload })
const average = (changes: object = {}) =>
  frame('crypto_prices_twap_sixty', {
    symbol: 'btc/usd',
    timestamp: AT_MS,
    value: 65_000.5,
    full_accuracy_value: '65000500000000000000001',
    window_s: 60,
    ...changes,
  })
const kindsOf = (text: string) => decodePriceFrame(text).problems.map(({ kind }) => kind)

test('an average is exact to the last digit, and its time may be a number or a text', () => {
  const event = { source: 'twap60', coin: 'BTC', price: 65_000_500_000_000_000_000_001n, priceAtMs: AT_MS }
  expect(decodePriceFrame(average())).toEqual({ events: [event], problems: [] })
  expect(decodePriceFrame(average({ timestamp: String(AT_MS) })).events).toEqual([event])
})

test('a Chainlink price may be written in units or as a decimal, and HYPE and ZEC have one', () => {
  const spot = (changes: object) => {
    const payload = { symbol: 'hype/usd', timestamp: AT_MS, value: 42.25, ...changes }
    return decodePriceFrame(frame('crypto_prices_chainlink', payload)).events[0]
  }
  const price = 42_250_000_000_000_000_000n
  expect(spot({})).toEqual({ source: 'chainlink', coin: 'HYPE', price, priceAtMs: AT_MS })
  expect(spot({ full_accuracy_value: '42250000000000000000' })?.price).toBe(price)
  expect(spot({ full_accuracy_value: '42.25000000' })?.price).toBe(price)
  expect(spot({ symbol: 'zec/usd' })?.coin).toBe('ZEC')
})

test('F54: acknowledgements, histories under a wrong topic and prices of the exchange hold nothing that is needed', () => {
  const history = { symbol: 'btc/usd', data: [{ timestamp: AT_MS, value: 65_000 }] }
  const exchange = { symbol: 'btcusdt', timestamp: AT_MS, value: 1, full_accuracy_value: '1.00' }
  for (const text of ['', 'PONG', frame('crypto_prices', history, 'subscribe'), frame('crypto_prices', exchange)])
    expect(decodePriceFrame(text)).toEqual({ events: [], problems: [] })
})

test('what is not understood is a problem and never a guessed price', () => {
  expect(kindsOf(average({ symbol: 'btcusdt' }))).toEqual(['unknown_key'])
  expect(kindsOf(frame('crypto_prices_twap_ninety', {}))).toEqual(['unknown_event'])
  expect(kindsOf('{"topic":"crypto_pri')).toEqual(['undecodable'])
  for (const changes of [
    { timestamp: '2026' },
    { timestamp: 1_794_709_200 },
    { value: 65_000.5, full_accuracy_value: '650005000000000000000' },
    { value: -1, full_accuracy_value: '-1' },
    { value: 0, full_accuracy_value: '0' },
    { value: null, full_accuracy_value: null },
  ])
    expect(kindsOf(average(changes)), JSON.stringify(changes)).toEqual(['undecodable'])
})

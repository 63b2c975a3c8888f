import fc from 'fast-check'
import { expect, test } from 'vitest'
import { COINS } from './market.ts'
import { claimsIn, normaliseSlug, WINDOW_TIMEFRAMES, windowRequestIn } from './slug.ts'

const coin = fc.constantFrom(...COINS)
const timeframe = fc.constantFrom(...WINDOW_TIMEFRAMES)
const seconds = fc.integer({ min: 1_500_000_000, max: 4_000_000_000 })

test('normalising is final, and plain whatever was typed', () => {
  const typed = fc.string({ unit: 'binary', maxLength: 400 })
  fc.assert(
    fc.property(typed, (text) => {
      const slug = normaliseSlug(text)
      expect(slug).toMatch(/^$|^[a-z0-9.]+(-[a-z0-9.]+)*$/)
      expect(normaliseSlug(slug)).toBe(slug)
    }),
  )
  expect(normaliseSlug(' BTC_updown 5m--1794709200/ ')).toBe('btc-updown-5m-1794709200')
})

test('coin and length are read from the up/down form, with the moment in seconds or milliseconds', () => {
  fc.assert(
    fc.property(coin, timeframe, seconds, (symbol, length, atSeconds) => {
      const lead = `${symbol.toLowerCase()}-updown-${length}`
      const asked = { coin: symbol, timeframe: length }
      expect(windowRequestIn(lead)).toEqual(asked)
      expect(windowRequestIn(`${lead}-${atSeconds}`)).toEqual({ ...asked, atMs: atSeconds * 1_000 })
      expect(windowRequestIn(`${lead}-${atSeconds * 1_000 + 7}`)).toEqual({ ...asked, atMs: atSeconds * 1_000 + 7 })
      expect(windowRequestIn(`${lead}-now-or-never`)).toEqual(asked)
      expect(windowRequestIn(`${lead}-0`)).toEqual({ ...asked, atMs: 0 })
      for (const beyond of ['4102444800', '4102444800000', '9'.repeat(40)]) {
        expect(windowRequestIn(`${lead}-${beyond}`)).toEqual(asked)
      }
    }),
  )
})

test('what only looks like it is not the form', () => {
  for (const slug of [
    'btc-updown',
    'btc-updown-30m',
    'btc-updown-5',
    'btc-updown-5mm',
    'updown-5m',
    'x-btc-updown-5m',
  ]) {
    expect(windowRequestIn(slug), slug).toBeUndefined()
  }
})

test('a coin is known by its symbol and its name, and an unknown one is still a claim', () => {
  expect(windowRequestIn('bitcoin-updown-1h')).toEqual({ coin: 'BTC', timeframe: '1h' })
  expect(windowRequestIn('pepe-updown-1h')).toEqual({ coin: 'PEPE', timeframe: '1h' })
  expect(claimsIn('btc-updown-30m')).toEqual({ coin: 'BTC', timeframe: '30m', isWindow: true })
  expect(claimsIn('ethereum-up-or-down-on-november-14')).toEqual({ coin: 'ETH', isWindow: true })
  expect(claimsIn('will-solana-reach-300')).toEqual({ coin: 'SOL', isWindow: false })
  expect(claimsIn('lakers-celtics')).toEqual({ isWindow: false })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WINDOW_SERIES, windowAfter, windowAt, windowDraft } from './crypto-windows.ts'

const LENGTHS = ['5m', '15m', '1h', '4h', '1d'] as const

function series(symbol: string, length: (typeof LENGTHS)[number]) {
  const found = WINDOW_SERIES.find((each) => each.coin.symbol === symbol && each.length === length)
  if (found === undefined) throw new Error(`no series ${symbol} ${length}`)
  return found
}

test('windows of one length follow each other without hole or overlap, also when summer time changes', () => {
  const moment = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 11, 31) })
  fc.assert(
    fc.property(fc.constantFrom(...LENGTHS), moment, (length, atMs) => {
      const window = windowAt(length, atMs)
      const next = windowAfter(length, window)
      expect(window.startMs).toBeLessThanOrEqual(atMs)
      expect(window.endMs).toBeGreaterThan(atMs)
      expect(next.startMs).toBe(window.endMs)
      expect(windowAt(length, window.endMs - 1)).toEqual(window)
    }),
  )
})

test('a four-hour window starts on a mark of the New York clock: one hour later in UTC in winter', () => {
  expect(windowAt('4h', Date.parse('2026-07-01T13:00:00Z')).startMs % 14_400_000).toBe(0)
  expect(windowAt('4h', Date.parse('2026-11-15T13:00:00Z')).startMs % 14_400_000).toBe(3_600_000)
})

test('the day on which summer time ends has 25 hours from noon to noon', () => {
  const window = windowAt('1d', Date.parse('2026-11-01T03:00:00Z'))
  expect((window.endMs - window.startMs) / 3_600_000).toBe(25)
})

test('slugs and titles are spelled as the venue spells them', () => {
  const at = Date.parse('2026-10-05T23:07:00Z')
  const nameOf = (symbol: string, length: (typeof LENGTHS)[number]) => {
    const { slug, title } = windowDraft(series(symbol, length), windowAt(length, at))
    return [slug, title]
  }
  expect(nameOf('BTC', '15m')).toEqual([
    'btc-updown-15m-1791241200',
    'Bitcoin Up or Down - October 5, 7:00PM-7:15PM ET',
  ])
  expect(nameOf('ETH', '4h')).toEqual(['eth-updown-4h-1791230400', 'Ethereum Up or Down - October 5, 4:00PM-8:00PM ET'])
  expect(nameOf('SOL', '1h')).toEqual([
    'solana-up-or-down-october-5-2026-7pm-et',
    'Solana Up or Down - October 5, 7PM ET',
  ])
  expect(nameOf('BTC', '1d')).toEqual(['bitcoin-up-or-down-on-october-6-2026', 'Bitcoin Up or Down on October 6?'])
})

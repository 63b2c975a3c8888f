import { expect, test } from 'vitest'
import { classify } from './classify.ts'

function place(slug: string, { title = '', tags = '', series = '', market = slug } = {}): string {
  const list = (text: string): string[] => text.split(' ').filter((word) => word !== '')
  const facts = { slug, title, tagSlugs: list(tags), seriesSlugs: list(series) }
  const found = classify(facts, market)
  return found === undefined ? 'none' : `${found.category} ${found.subcategory} ${found.timeframe}`
}

test('crypto windows by old and new slugs', () => {
  expect(place('btc-updown-5m-1794709200')).toBe('crypto BTC 5m')
  expect(place('hype-updown-15m-1794709200')).toBe('crypto HYPE 15m')
  expect(place('zec-updown-5m-1794709200'), 'Zcash windows').toBe('crypto ZEC 5m')
  expect(place('eth-updown-4h-1791230400')).toBe('crypto ETH 4h')
  expect(place('bitcoin-up-or-down-october-9-2026-4am-et')).toBe('crypto BTC 1h')
  expect(place('bitcoin-up-or-down-january-5-4am-et')).toBe('crypto BTC 1h')
  expect(place('solana-up-or-down-on-october-8-2026')).toBe('crypto SOL 1d')
  expect(place('xrp-up-or-down-on-october-8')).toBe('crypto XRP 1d')
})

test('coin prices need the crypto tag besides a coin name in the slug', () => {
  expect(place('bitcoin-above-on-september-29-2026', { tags: 'crypto-prices' })).toBe('crypto BTC hit-price')
  expect(place('what-price-will-dogecoin-hit-in-may-2026', { tags: 'crypto' })).toBe('crypto DOGE hit-price')
  expect(place('what-price-will-dogecoin-hit-in-may-2026')).toBe('none')
})

test('games, but not season futures', () => {
  expect(place('nfl-sf-sea-2026-10-05', { tags: 'sports nfl games' })).toBe('sports NFL game')
  expect(place('ars-liv-2026-10-05', { tags: 'games', series: 'premier-league-2026' })).toBe('sports EPL game')
  expect(place('nba-champion-2027', { tags: 'sports nba' })).toBe('none')
  expect(place('mlb-tb-nyy-2026-10-07', { tags: 'sports mlb games' })).toBe('none')
})

test('weather by full city names', () => {
  expect(place('highest-temperature-in-nyc-on-october-9-2026')).toBe('weather New York daily-high')
  expect(place('lowest-temperature-in-buenos-aires-on-october-9')).toBe('weather Buenos Aires daily-low')
  const landfall = 'Will Hurricane Nadia make landfall in the US?'
  expect(place('will-hurricane-nadia-make-landfall-in-the-us', { tags: 'weather', title: landfall })).toBe(
    'weather Global event',
  )
  const snow = 'How much snow in NYC this winter (2027)?'
  expect(place('how-much-snow-in-nyc-this-winter-2027', { tags: 'weather', title: snow })).toBe(
    'weather New York seasonal',
  )
})

test('rates and posts', () => {
  expect(place('fed-decision-in-october-20260617190323537')).toBe('economics FOMC rates')
  expect(place('elon-musk-of-tweets-october-2-october-9-2026')).toBe('social Elon weekly')
  expect(place('elon-musk-of-tweets-december-29-january-5')).toBe('social Elon weekly')
  expect(place('elon-musk-of-tweets-october-2-october-4-2026')).toBe('none')
})

test('equities by topic and timeframe', () => {
  const finance = (slug: string, tags = ''): string => place(slug, { tags: `${tags} finance` })
  expect(finance('aapl-up-or-down-on-september-28-2026', 'stocks')).toBe('equities StockPrice daily')
  expect(finance('spx-opens-up-or-down-on-september-28-2026', 'indices')).toBe('equities SPX daily')
  expect(finance('what-price-will-nvda-hit-in-january-2026', 'stocks')).toBe('equities StockPrice monthly')
  expect(finance('will-eur-usd-close-higher-on-november-17-2026', 'forex')).toBe('equities Forex daily')
  expect(finance('spacex-ipo-before-2027', 'ipo')).toBe('equities IPO event')
  expect(finance('will-there-be-a-recession-in-2026')).toBe('none')
})

import { WORLD_START_MS } from '@bookreel/simulator/polymarket/offline-world'
import { WINDOW_SERIES, windowAt, windowDraft } from '@bookreel/simulator/world/catalogue/crypto-windows'
import { longLivedEvents } from '@bookreel/simulator/world/catalogue/long-lived'
import { expect, test } from 'vitest'
import { COINS, TIMEFRAMES } from '../../src/domain/market.ts'
import { classify } from '../../src/venues/polymarket/classify.ts'

/** Every subcategory of section 4.2 of the interface, by category. */
const SUBCATEGORIES = {
  crypto: [...COINS],
  sports: ['NBA', 'NFL', 'EPL', 'FIFA', 'IPL'],
  economics: ['FOMC'],
  weather: ['New York', 'London', 'Atlanta', 'Dallas', 'Shanghai', 'Buenos Aires', 'Global'],
  social: ['Elon'],
  equities: ['IPO', 'Private', 'StockPrice', 'Commodity', 'Forex', 'SPX'],
}
const drafts = [
  ...WINDOW_SERIES.map((series) => windowDraft(series, windowAt(series.length, WORLD_START_MS))),
  ...longLivedEvents('test', WORLD_START_MS, 2_000),
]
const placed = drafts.flatMap((event) => {
  const facts = {
    slug: event.slug,
    title: event.title,
    seriesSlugs: event.series === undefined ? [] : [event.series.slug],
    tagSlugs: event.tags.map(({ slug }) => slug),
  }
  return event.markets.map(({ slug }) => ({ slug, place: classify(facts, slug) }))
})

test('every simulated market is classified', () => {
  expect(placed.filter(({ place }) => place === undefined).map(({ slug }) => slug)).toEqual([])
})

test.each(Object.keys(SUBCATEGORIES) as (keyof typeof SUBCATEGORIES)[])(
  'every subcategory and timeframe of %s has a market, and no other occurs',
  (category) => {
    const of = placed.flatMap(({ place }) => (place?.category === category ? [place] : []))
    expect(new Set(of.map(({ subcategory }) => subcategory))).toEqual(new Set(SUBCATEGORIES[category]))
    expect(new Set(of.map(({ timeframe }) => timeframe))).toEqual(new Set(TIMEFRAMES[category]))
  },
)

test('every coin has every timeframe, except that Zcash has only windows of 5m, 15m and 4h', () => {
  const pairs = new Set(placed.map(({ place }) => `${place?.subcategory} ${place?.timeframe}`))
  const others = COINS.filter((coin) => coin !== 'ZEC')
  for (const coin of others) for (const timeframe of TIMEFRAMES.crypto) expect(pairs).toContain(`${coin} ${timeframe}`)
  for (const timeframe of ['5m', '15m', '4h']) expect(pairs).toContain(`ZEC ${timeframe}`)
})

test('kinds of equities markets are distinguished', () => {
  const placeOf = (form: RegExp): string => {
    const { place } = placed.find(({ slug }) => form.test(slug)) ?? {}
    return `${place?.subcategory} ${place?.timeframe}`
  }
  expect(placeOf(/finish-\d{4}-higher/)).toBe('StockPrice annual')
  expect(placeOf(/beat-quarterly-earnings/)).toBe('StockPrice earnings')
  expect(placeOf(/^tesla-deliveries-in-q/)).toBe('StockPrice quarterly')
  expect(placeOf(/^largest-company-/)).toBe('StockPrice leaderboard')
  expect(placeOf(/do-better-than/)).toBe('StockPrice comparison')
  expect(placeOf(/^gold-above-on-/)).toBe('Commodity daily')
  expect(placeOf(/-ipo-before-/)).toBe('IPO event')
  expect(placeOf(/-valuation-at-the-end-of-/)).toBe('Private valuation')
})

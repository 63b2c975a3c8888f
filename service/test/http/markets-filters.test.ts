import { describe, expect, test } from 'vitest'
import { TIMEFRAMES as OUR_TIMEFRAMES } from '../../src/domain/market.ts'
import { listLiveMarkets } from '../../src/endpoints/markets/list-live-markets.ts'
import { HistoryQuery } from '../../src/endpoints/shared/history-list.ts'

/** Interface 4.2, word by word. */
const CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'exchange', 'equities']
const SUBCATEGORIES = ['NBA', 'NFL', 'EPL', 'FIFA', 'IPL', 'BTC', 'FOMC', 'New York City', 'IPO', 'Private']
const TOPICS = ['StockPrice', 'Commodity', 'Forex', 'SPX', 'Elon']
const TIMEFRAMES = {
  crypto: ['5m', '15m', '1h', '4h', '1d', 'hit-price'],
  sports: ['game'],
  economics: ['rates'],
  social: ['weekly'],
  weather: ['daily-high', 'daily-low', 'event', 'seasonal'],
  equities: 'annual monthly daily event earnings quarterly valuation comparison leaderboard'.split(' '),
}
const lists = { live: listLiveMarkets.query, history: HistoryQuery }

test('the timeframes of every category are those of the interface', () => {
  const sorted = (lists: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(lists)
      .map(([category, timeframes]) => `${category} ${timeframes.toSorted().join(' ')}`)
      .toSorted()
  expect(sorted(OUR_TIMEFRAMES)).toEqual(sorted(TIMEFRAMES))
})

describe.each(Object.entries(lists))('filters of the %s list', (_, schema) => {
  const venue = 'polymarket'
  const read = (query: object): unknown => {
    const found = (schema?.safeParse(query).data ?? {}) as { results?: boolean; complete?: boolean }
    const { results, complete = false, ...filters } = found
    expect([results, complete]).toEqual([false, false])
    return filters
  }

  test.each(CATEGORIES)('category %s is accepted', (category) => {
    expect(read({ category })).toEqual({ category, venue })
  })

  test.each([...SUBCATEGORIES, ...TOPICS])('subcategory %s is accepted, case-sensitive', (subcategory) => {
    expect(read({ subcategory })).toEqual({ subcategory, venue })
  })

  test.each(Object.values(TIMEFRAMES).flat())('timeframe %s is accepted', (timeframe) => {
    expect(read({ timeframe })).toEqual({ timeframe, venue })
  })

  test.each(['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC'])('coin %s is accepted in any case', (crypto) => {
    expect(read({ crypto: crypto.toLowerCase() })).toEqual({ crypto, venue })
  })

  test.each(['polymarket', 'kalshi', 'all'])('venue %s is accepted', (name) => {
    expect(read({ venue: name })).toEqual({ venue: name })
  })

  test('`all` means no filter', () => {
    expect(read({ crypto: 'all', timeframe: 'all' })).toEqual({ venue })
  })
})

import type { Category, Classification, CoinSymbol } from '../../domain/market.ts'

/** A series of events that is followed. Only the venue's series have a category, so its markets get theirs from here. */
export interface Series extends Classification {
  readonly ticker: string
  /** Its events are up/down windows, which are followed before they open. */
  readonly isWindow: boolean
  /** Exactly one market of an event wins. */
  readonly isExclusive: boolean
}

type Row = readonly [ticker: string, subcategory: string, timeframe: string]

const WINDOW_COINS: readonly CoinSymbol[] = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC']

/** Thresholds by the hour and by the year: the API has timeframes only for up/down windows. */
const COIN_LEVELS: readonly Row[] = [
  ['KXBTCD', 'BTC', 'hit-price'],
  ['KXETHD', 'ETH', 'hit-price'],
  ['KXSOLD', 'SOL', 'hit-price'],
  ['KXXRPD', 'XRP', 'hit-price'],
  ['KXBNBD', 'BNB', 'hit-price'],
  ['KXHYPED', 'HYPE', 'hit-price'],
  ['KXDOGED', 'DOGE', 'hit-price'],
  ['KXETHMAXY', 'ETH', 'hit-price'],
]
const COIN_RANGES: readonly Row[] = [
  ['KXBTC', 'BTC', 'hit-price'],
  ['KXETH', 'ETH', 'hit-price'],
  ['KXBTCY', 'BTC', 'hit-price'],
  ['KXETHY', 'ETH', 'hit-price'],
]

const GAMES: readonly Row[] = [
  ['KXNBAGAME', 'NBA', 'game'],
  ['KXNFLGAME', 'NFL', 'game'],
  ['KXEPLGAME', 'EPL', 'game'],
  ['KXWCGAME', 'FIFA', 'game'],
  ['KXIPLGAME', 'IPL', 'game'],
]
const GAME_LINES: readonly Row[] = [
  ['KXNFLSPREAD', 'NFL', 'game'],
  ['KXNFLTOTAL', 'NFL', 'game'],
]

const RATE_DECISIONS: readonly Row[] = [['KXFEDDECISION', 'FOMC', 'rates']]
const RATE_LEVELS: readonly Row[] = [['KXFED', 'FOMC', 'rates']]

/** Several generations of one product exist; those without open events list nothing. */
const HIGHS: readonly Row[] = [
  ['KXHIGHNY', 'New York', 'daily-high'],
  ['KXHIGHLAX', 'Los Angeles', 'daily-high'],
  ['KXHIGHCHI', 'Chicago', 'daily-high'],
  ['KXHIGHMIA', 'Miami', 'daily-high'],
  ['KXHIGHAUS', 'Austin', 'daily-high'],
  ['KXHIGHDEN', 'Denver', 'daily-high'],
  ['KXHIGHTEMPDEN', 'Denver', 'daily-high'],
  ['KXHIGHPHIL', 'Philadelphia', 'daily-high'],
  ['KXHIGHOU', 'Houston', 'daily-high'],
  ['KXHIGHHOU', 'Houston', 'daily-high'],
  ['KXHIGHTSFO', 'San Francisco', 'daily-high'],
  ['KXHIGHTSEA', 'Seattle', 'daily-high'],
  ['KXHIGHTATL', 'Atlanta', 'daily-high'],
  ['KXHIGHTBOS', 'Boston', 'daily-high'],
  ['KXHIGHTDAL', 'Dallas', 'daily-high'],
  ['KXHIGHTDC', 'Washington', 'daily-high'],
  ['KXHIGHTLV', 'Las Vegas', 'daily-high'],
  ['KXHIGHTPHX', 'Phoenix', 'daily-high'],
]
const LOWS: readonly Row[] = [
  ['KXLOWTNYC', 'New York', 'daily-low'],
  ['KXLOWNY', 'New York', 'daily-low'],
  ['KXLOWNYC', 'New York', 'daily-low'],
  ['KXLOWTCHI', 'Chicago', 'daily-low'],
  ['KXLOWTDEN', 'Denver', 'daily-low'],
  ['KXLOWTMIA', 'Miami', 'daily-low'],
]

const WEEKLY_POSTS: readonly Row[] = [['KXTRUTHSOCIAL', 'Trump', 'weekly']]

/** Questions about an hour of a day count as daily, as for other venues. */
const INDEX_LEVELS: readonly Row[] = [
  ['KXINXU', 'SPX', 'daily'],
  ['KXINXMAXY', 'SPX', 'annual'],
  ['KXNASDAQ100U', 'StockPrice', 'daily'],
  ['KXGOLDH', 'Commodity', 'daily'],
  ['KXSILVERH', 'Commodity', 'daily'],
  ['KXWTI', 'Commodity', 'daily'],
  ['KXNATGASD', 'Commodity', 'daily'],
]
const INDEX_RANGES: readonly Row[] = [
  ['KXINX', 'SPX', 'daily'],
  ['KXINXY', 'SPX', 'annual'],
  ['KXNASDAQ100', 'StockPrice', 'daily'],
  ['KXDJI', 'StockPrice', 'daily'],
]

/** A range is one of several that exclude each other; a level is not. */
export const FOLLOWED_SERIES: readonly Series[] = [
  ...WINDOW_COINS.map(
    (coin): Series => ({
      ticker: `KX${coin}15M`,
      category: 'crypto',
      subcategory: coin,
      timeframe: '15m',
      isWindow: true,
      isExclusive: false,
    }),
  ),
  ...exclusive('crypto', COIN_RANGES),
  ...independent('crypto', COIN_LEVELS),
  ...exclusive('sports', GAMES),
  ...independent('sports', GAME_LINES),
  ...exclusive('economics', RATE_DECISIONS),
  ...independent('economics', RATE_LEVELS),
  ...exclusive('weather', [...HIGHS, ...LOWS]),
  ...exclusive('social', WEEKLY_POSTS),
  ...exclusive('equities', INDEX_RANGES),
  ...independent('equities', INDEX_LEVELS),
]

export function seriesOf(category: Category): Series[] {
  return FOLLOWED_SERIES.filter((series) => series.category === category)
}

function exclusive(category: Category, rows: readonly Row[]): Series[] {
  return rows.map((row) => seriesIn(category, row, true))
}

function independent(category: Category, rows: readonly Row[]): Series[] {
  return rows.map((row) => seriesIn(category, row, false))
}

function seriesIn(category: Category, [ticker, subcategory, timeframe]: Row, isExclusive: boolean): Series {
  return { ticker, category, subcategory, timeframe, isWindow: false, isExclusive }
}

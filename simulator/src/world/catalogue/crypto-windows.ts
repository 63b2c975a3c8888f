import { clockText, dateSlug, dateText, lastNewYorkHour, newYorkTime } from '../new-york.ts'
import { COINS, type Coin } from '../spot.ts'
import type { EventDraft, SeriesFacts, WindowLength } from './draft.ts'

export interface WindowSeries {
  /** Index in the list of all series; part of the ids of its windows. */
  order: number
  coin: Coin
  length: WindowLength
  facts: SeriesFacts
}

export interface Window {
  startMs: number
  endMs: number
}

const MINUTE_MS = 60_000
const RECURRENCE = { '5m': '5m', '15m': '15m', '1h': 'hourly', '4h': '4h', '1d': 'daily' } as const
const LENGTH_TAG_IDS = { '5m': '102892', '15m': '102467', '1h': '102175', '4h': '102531', '1d': '102536' } as const
const FOUR_HOUR_MARKS = [0, 4, 8, 12, 16, 20]
const EVERY_HOUR = Array.from({ length: 24 }, (_, hour) => hour)
const NOON = [12]

/** Series ids of the real venue, where known. */
const KNOWN_SERIES_IDS: Record<string, string> = {
  'btc-up-or-down-5m': '10684',
  'eth-up-or-down-5m': '10683',
  'sol-up-or-down-5m': '10686',
  'xrp-up-or-down-5m': '10685',
  'doge-up-or-down-5m': '11325',
  'bnb-up-or-down-5m': '11326',
  'zec-up-or-down-5m': '12517',
  'btc-up-or-down-15m': '10192',
  'eth-up-or-down-15m': '10191',
  'sol-up-or-down-15m': '10423',
  'xrp-up-or-down-15m': '10422',
  'doge-up-or-down-15m': '11328',
  'bnb-up-or-down-15m': '11330',
  'btc-up-or-down-hourly': '10114',
  'btc-up-or-down-4h': '10331',
  'eth-up-or-down-4h': '10332',
  'sol-up-or-down-4h': '10333',
  'xrp-up-or-down-4h': '10327',
  'doge-up-or-down-4h': '11331',
  'bnb-up-or-down-4h': '11332',
}

/** Coins whose series of every length say that they recur daily. */
const ALWAYS_DAILY = ['DOGE', 'BNB', 'HYPE']

/** Ordered so that a small world gets the most active series of the most active coins. */
export const WINDOW_SERIES: readonly WindowSeries[] = (['5m', '15m', '1h', '4h', '1d'] as const)
  .flatMap((length, lengthRank) =>
    COINS.map((coin, coinRank) => ({ length, coin, rank: lengthRank * 2 + coinRank * 3 })),
  )
  // Zcash has no hourly and no daily windows.
  .filter(({ length, coin }) => coin.symbol !== 'ZEC' || !settlesOnCandle(length))
  .sort((one, other) => one.rank - other.rank)
  .map(({ length, coin }, order) => ({ order, coin, length, facts: seriesFacts(coin, length, order) }))

function seriesFacts(coin: Coin, length: WindowLength, order: number): SeriesFacts {
  const recurrence = RECURRENCE[length]
  const slug = `${seriesPrefix(coin, length)}-up-or-down-${recurrence}`
  return {
    id: KNOWN_SERIES_IDS[slug] ?? String(13_000 + order),
    slug,
    title: `${coin.symbol} Up or Down ${length === '1h' ? 'Hourly' : length === '1d' ? 'Daily' : length}`,
    recurrence,
    ...((length === '4h' || ALWAYS_DAILY.includes(coin.symbol)) && { wrongRecurrence: 'daily' }),
  }
}

function seriesPrefix(coin: Coin, length: WindowLength): string {
  if (coin.symbol === 'SOL' && (length === '1h' || length === '1d')) return 'solana'
  if (coin.symbol === 'DOGE' && length === '1d') return 'dogecoin'
  return coin.symbol.toLowerCase()
}

/** The window of that length that contains the time. */
export function windowAt(length: WindowLength, atMs: number): Window {
  switch (length) {
    case '5m':
    case '15m': {
      const lengthMs = length === '5m' ? 5 * MINUTE_MS : 15 * MINUTE_MS
      const startMs = Math.floor(atMs / lengthMs) * lengthMs
      return { startMs, endMs: startMs + lengthMs }
    }
    case '1h':
      return windowBetweenHours(atMs, EVERY_HOUR, 1)
    case '4h':
      return windowBetweenHours(atMs, FOUR_HOUR_MARKS, 4)
    case '1d':
      return windowBetweenHours(atMs, NOON, 24)
  }
}

/** Ends at the next full period of New York time, an hour earlier or later when daylight saving time changes. */
function windowBetweenHours(atMs: number, hours: readonly number[], usualHours: number): Window {
  const startMs = lastNewYorkHour(atMs, hours)
  const aroundEndMs = startMs + (usualHours + 1) * 60 * MINUTE_MS
  const endMs = lastNewYorkHour(usualHours === 1 ? startMs + 60 * MINUTE_MS : aroundEndMs, hours)
  return { startMs, endMs }
}

export function windowAfter(length: WindowLength, window: Window): Window {
  return windowAt(length, window.endMs)
}

/** The event a window is listed under; it has one market of the same slug. */
export function windowDraft(series: WindowSeries, window: Window): EventDraft {
  const { coin, length, facts } = series
  const from = newYorkTime(window.startMs)
  const to = newYorkTime(window.endMs)
  const { slug, title } = ((): { slug: string; title: string } => {
    const lead = `${coin.name} Up or Down`
    switch (length) {
      case '1h':
        return {
          slug: `${coin.name.toLowerCase()}-up-or-down-${dateSlug(from)}-${clockText(from, true).toLowerCase()}-et${isRepeatedHour(window) ? '-2' : ''}`,
          title: `${lead} - ${dateText(from)}, ${clockText(from, true)} ET`,
        }
      case '1d':
        return {
          slug: `${coin.name.toLowerCase()}-up-or-down-on-${dateSlug(to)}`,
          title: `${lead} on ${dateText(to)}?`,
        }
      default:
        return {
          slug: `${coin.symbol.toLowerCase()}-updown-${length}-${window.startMs / 1000}`,
          title: `${lead} - ${dateText(from)}, ${clockText(from)}-${clockText(to)} ET`,
        }
    }
  })()
  return {
    slug,
    title,
    description: windowRules(coin, length),
    resolutionSource: windowSource(coin, length),
    series: facts,
    tags: [
      { id: '102127', label: 'Up or Down', slug: 'up-or-down' },
      { id: '1312', label: 'Crypto Prices', slug: 'crypto-prices' },
      { id: '101757', label: 'Recurring', slug: 'recurring' },
      { id: '21', label: 'Crypto', slug: 'crypto' },
      {
        id: coin.symbol === 'BTC' ? '235' : String(100_300 + series.order),
        label: coin.name,
        slug: coin.name.toLowerCase(),
      },
      { id: LENGTH_TAG_IDS[length], label: length.toUpperCase(), slug: length.toUpperCase() },
    ],
    negRisk: false,
    startMs: window.startMs,
    endMs: window.endMs,
    markets: [{ slug, question: title, outcomes: ['Up', 'Down'], window: { coin, length } }],
  }
}

/** When daylight saving time ends, one hour occurs twice: titles may repeat, slugs may not. */
function isRepeatedHour({ startMs }: Window): boolean {
  return newYorkTime(startMs).hour === newYorkTime(startMs - 60 * MINUTE_MS).hour
}

function settlesOnCandle(length: WindowLength): boolean {
  return length === '1h' || length === '1d'
}

function windowSource(coin: Coin, length: WindowLength): string {
  const symbol = coin.symbol
  if (settlesOnCandle(length)) return `https://www.binance.com/en/trade/${symbol}_USDT`
  return `https://data.chain.link/streams/${symbol.toLowerCase()}-usd-twap-60s-streams`
}

function windowRules(coin: Coin, length: WindowLength): string {
  if (settlesOnCandle(length)) {
    return `Resolves to "Up" if the close of the ${coin.symbol}/USDT candle named in the title is at or above its open, otherwise to "Down".\nThe source is the candle shown for ${coin.symbol}/USDT at ${windowSource(coin, length)}.`
  }
  return `Resolves to "Up" if the one-minute time-weighted price of ${coin.name} at the end of the time range in the title is at or above the price at its beginning, otherwise to "Down".\nThe source is the data stream at ${windowSource(coin, length)}, not any spot market.`
}

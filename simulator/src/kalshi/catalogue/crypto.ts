import { clockText, dateText, newYorkTime } from '../../world/new-york.ts'
import { COINS, type Coin } from '../../world/spot.ts'
import { type DraftContext, type EventDraft, type MarketDraft, QUICK_SETTLEMENT, type Series } from './draft.ts'
import { clockCode, dayCode, everyMs } from './schedules.ts'

const QUARTER_HOUR_MS = 900_000
const HOUR_MS = 3_600_000
const CRYPTO_EXCHANGE = 2
const STRIKES = 14
const INDEX_SOURCE = { name: 'CF Benchmarks', url: 'https://www.cfbenchmarks.com/' }
/** Zcash and Dogecoin have no hourly thresholds. */
const HOURLY_COINS = COINS.filter(({ symbol }) => !['ZEC', 'DOGE'].includes(symbol))

export const WINDOW_SERIES: readonly Series[] = COINS.map((coin) => ({
  facts: {
    ticker: `KX${coin.symbol}15M`,
    title: `${coin.name} price up or down in 15 minutes`,
    category: 'Crypto',
    tags: [coin.symbol, '15 min'],
    frequency: 'fifteen_min',
    source: INDEX_SOURCE,
    exchangeIndex: CRYPTO_EXCHANGE,
  },
  grid: 'tapered_deci_cent',
  schedule: everyMs(QUARTER_HOUR_MS),
  marketsPerEvent: 1,
  ...QUICK_SETTLEMENT,
  draft: (_index, context) => windowDraft(coin, context),
}))

export const HOURLY_SERIES: readonly Series[] = HOURLY_COINS.map((coin) => ({
  facts: {
    ticker: `KX${coin.symbol}D`,
    title: `${coin.name} price above a level`,
    category: 'Crypto',
    tags: [coin.symbol, 'Hourly'],
    frequency: 'hourly',
    source: INDEX_SOURCE,
    exchangeIndex: CRYPTO_EXCHANGE,
  },
  grid: 'tapered_deci_cent',
  schedule: everyMs(HOUR_MS),
  marketsPerEvent: STRIKES,
  ...QUICK_SETTLEMENT,
  draft: (_index, context) => thresholdDraft(coin, context),
}))

function windowDraft(coin: Coin, { closeMs }: DraftContext): EventDraft {
  const close = newYorkTime(closeMs)
  const title = `${coin.symbol} price up in next 15 mins?`
  return {
    ticker: `KX${coin.symbol}15M-${dayCode(closeMs)}${clockCode(closeMs)}`,
    title,
    subTitle: `${dateText(close)} at ${clockText(close)} EDT`,
    isExclusive: false,
    markets: [
      {
        suffix: clockCode(closeMs).slice(2),
        title,
        yesSubTitle: 'Price to beat: to be set at the open',
        rules: `If the mean of the sixty one-second index values of ${coin.name} before ${clockText(close)} is at least the mean before the open, then the market resolves to Yes.`,
        strikeType: 'greater_or_equal',
        usualPrice: 0.5,
        spot: { coin, rule: 'at least' },
      },
    ],
  }
}

/** Thresholds around the price at the time of listing, the nearest first. */
function thresholdDraft(coin: Coin, { spot, listedMs, closeMs }: DraftContext): EventDraft {
  const step = Number((coin.usualPriceUsd * 0.003).toPrecision(1))
  const middle = Math.round(spot.priceAt(coin, listedMs) / step)
  const ticker = `KX${coin.symbol}D-${dayCode(closeMs)}${clockCode(closeMs).slice(0, 2)}`
  const close = newYorkTime(closeMs)
  const title = `${coin.name} price on ${dateText(close)} at ${clockText(close, true)} EDT?`
  const markets = Array.from({ length: STRIKES }, (_, index): MarketDraft => {
    const offset = index % 2 === 0 ? -index / 2 : (index + 1) / 2
    const strike = justBelow((middle + offset) * step, coin)
    return {
      suffix: `T${strike}`,
      title,
      yesSubTitle: `$${strike} or above`,
      rules: `If the mean of the sixty one-second index values of ${coin.name} before ${clockText(close, true)} is above ${strike}, then the market resolves to Yes.`,
      strikeType: 'greater',
      floorStrike: strike,
      usualPrice: 0.5,
      spot: { coin, rule: 'above', strike },
    }
  })
  return { ticker, title, subTitle: `${dateText(close)} at ${clockText(close, true)}`, isExclusive: false, markets }
}

/** A strike is one unit of the last decimal below a round price, because "above" is meant strictly. */
function justBelow(price: number, coin: Coin): number {
  const decimals = priceDecimals(coin)
  return Number((price - 10 ** -decimals).toFixed(decimals))
}

export function priceDecimals({ usualPriceUsd }: Coin): number {
  return usualPriceUsd >= 10 ? 2 : usualPriceUsd >= 1 ? 4 : 6
}

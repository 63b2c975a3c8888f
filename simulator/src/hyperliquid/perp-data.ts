import { COINS, type Coin } from '../world/spot.ts'
import { DELISTED_COIN, type PerpLadders, type PerpMarket, perpCoin } from './perp-market.ts'

/** Age of the data when a client receives it. */
const AGE_ON_ARRIVAL_MS = 300

export interface BookData {
  coin: string
  time: number
  levels: PerpLadders
}

/** The newest book that a client can get; undefined for a coin that was never listed. */
export function bookData(perps: PerpMarket, name: string, nowMs: number, depth?: number): BookData | undefined {
  const time = perps.blockTime(nowMs - AGE_ON_ARRIVAL_MS)
  if (name === DELISTED_COIN) return { coin: name, time, levels: [[], []] }
  const coin = perpCoin(name)
  return coin === undefined ? undefined : { coin: name, time, levels: perps.ladders(coin, time, depth) }
}

export function mids(perps: PerpMarket, nowMs: number): Record<string, string> {
  return Object.fromEntries(COINS.map((coin) => [coin.symbol, perps.middleText(coin, nowMs)]))
}

/** Of a coin without a book: what is computed from the book is null. */
export const DELISTED_CONTEXT = {
  funding: '0.0',
  openInterest: '0.0',
  prevDayPx: '0.37',
  dayNtlVlm: '0.0',
  premium: null,
  oraclePx: '0.37',
  markPx: '0.37',
  midPx: null,
  impactPxs: null,
  dayBaseVlm: '0.0',
}

/** All values are strings, unlike in the venue's documentation. */
export function assetContext(perps: PerpMarket, coin: Coin, nowMs: number): object {
  const middle = perps.middleText(coin, nowMs)
  const [bids, asks] = perps.ladders(coin, nowMs, 1)
  return {
    funding: '0.0000125',
    openInterest: String(Math.round(2_000_000_000 / coin.usualPriceUsd)),
    prevDayPx: perps.middleText(coin, nowMs - 86_400_000),
    dayNtlVlm: '1516669192.1953897476',
    premium: '-0.0002824061',
    oraclePx: perps.oraclePrice(coin, nowMs).toPrecision(6),
    markPx: middle,
    midPx: middle,
    impactPxs: [bids[0]?.px ?? middle, asks[0]?.px ?? middle],
    dayBaseVlm: String(1_500_000_000 / coin.usualPriceUsd),
  }
}

import { PRICE_ONE } from '../world/book.ts'
import { normalShare } from '../world/fair-price.ts'
import { fixedNumber, seedOf, smoothNoise } from '../world/random.ts'
import { SPOT_DEVIATION_PER_ROOT_SECOND, type SpotPrices } from '../world/spot.ts'
import { priceDecimals } from './catalogue/crypto.ts'
import type { KalshiEvent, KalshiMarket } from './kalshi-market.ts'

const COMPUTED_EVERY_MS = 200
const SHORTEST_REST_MS = 1_000

/** Price of YES around which the book trades; it moves a few times a second. */
export function fairPrice(market: KalshiMarket, spot: SpotPrices, nowMs: number): number {
  const atMs = nowMs - (nowMs % COMPUTED_EVERY_MS)
  if (market.fair.atMs !== atMs) market.fair = { atMs, price: PRICE_ONE * chanceOfYes(market, spot, atMs) }
  return market.fair.price
}

function chanceOfYes(market: KalshiMarket, spot: SpotPrices, atMs: number): number {
  const { draft, strike, event } = market
  if (draft.spot === undefined || strike === undefined) return opinion(market, atMs)
  const distance = Math.log(spot.priceAt(draft.spot.coin, atMs) / strike)
  const restS = Math.max(SHORTEST_REST_MS, event.closeMs - atMs) / 1000
  return limited(normalShare(distance / (SPOT_DEVIATION_PER_ROOT_SECOND * Math.sqrt(restS))), 0.004)
}

function opinion({ draft, noiseSeeds: [slow, quick] }: KalshiMarket, atMs: number): number {
  const drift = 0.05 * smoothNoise(slow, atMs, 900_000) + 0.012 * smoothNoise(quick, atMs, 20_000)
  return limited(draft.usualPrice + drift, 0.015)
}

function limited(share: number, least: number): number {
  return Math.min(1 - least, Math.max(least, share))
}

/** The mean of the minute before, with as many decimals as the venue gives. */
export function settlementPrice(market: KalshiMarket, spot: SpotPrices, atMs: number): number | undefined {
  const coin = market.draft.spot?.coin
  return coin === undefined ? undefined : Number(spot.minuteAverageAt(coin, atMs).toFixed(priceDecimals(coin)))
}

export function resultOf(market: KalshiMarket, seed: string): 'yes' | 'no' {
  const { draft, strike, event, finalValue } = market
  if (draft.spot !== undefined && strike !== undefined && finalValue !== undefined) {
    const isYes = draft.spot.rule === 'at least' ? finalValue >= strike : finalValue > strike
    return isYes ? 'yes' : 'no'
  }
  const share = fixedNumber(seedOf(seed, 'result', event.ticker), 0)
  return (event.isExclusive ? winnerOf(event, share) === market : share < draft.usualPrice) ? 'yes' : 'no'
}

function winnerOf({ markets }: KalshiEvent, share: number): KalshiMarket | undefined {
  let sum = 0
  return markets.find(({ draft }) => {
    sum += draft.usualPrice
    return share < sum
  })
}

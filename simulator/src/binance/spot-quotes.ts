import { fixedNumber, random, seedOf } from '../world/random.ts'
import { COINS, type Coin, type SpotPrices } from '../world/spot.ts'

/** No event time and no event type: the exchange sends neither. */
export interface BookTicker {
  u: number
  s: string
  b: string
  B: string
  a: string
  A: string
}

/** Hyperlane, which a search for HYPE by its first letters finds. */
const OTHER_COINS: readonly Coin[] = [
  { symbol: 'HYPER', name: 'Hyperlane', usualPriceUsd: 0.045, perpSizeDecimals: 0, isOnSpot: true },
]

export const SPOT_COINS: readonly Coin[] = [...COINS, ...OTHER_COINS].filter(({ isOnSpot }) => isOnSpot)

/** The coin of a pair such as `btcusdt`, in any letter case; undefined for coins that are not listed, such as HYPE. */
export function spotCoin(pair: string): Coin | undefined {
  return SPOT_COINS.find(({ symbol }) => `${symbol}USDT` === pair.toUpperCase())
}

function priceStep(coin: Coin): number {
  return coin.usualPriceUsd >= 10 ? 0.01 : coin.usualPriceUsd >= 1 ? 0.0001 : 0.00001
}

function quantity(coin: Coin, share: number): string {
  return ((share * 40_000) / coin.usualPriceUsd + 0.001).toFixed(5).padEnd(10, '0')
}

export function spotBookTicker(spot: SpotPrices, coin: Coin, atMs: number): BookTicker {
  const step = priceStep(coin)
  const bidIndex = Math.floor(spot.priceAt(coin, atMs) / step)
  const seed = seedOf('spot quantity', coin.symbol)
  return {
    u: Math.floor(atMs / 10),
    s: `${coin.symbol}USDT`,
    b: (bidIndex * step).toFixed(8),
    B: quantity(coin, fixedNumber(seed, bidIndex)),
    a: ((bidIndex + 1) * step).toFixed(8),
    A: quantity(coin, fixedNumber(seed, bidIndex + 1)),
  }
}

export function spotTrade(seed: string, spot: SpotPrices, coin: Coin, atMs: number): object | undefined {
  const draw = random(seed, 'spot trade', coin.symbol, atMs)
  if (!draw.chance(0.3)) return undefined
  const { s, b, a } = spotBookTicker(spot, coin, atMs)
  const isBuyerMaker = draw.chance(0.5)
  return {
    e: 'trade',
    E: atMs + 1,
    s,
    t: Math.floor(atMs / 10),
    p: isBuyerMaker ? b : a,
    q: quantity(coin, draw.next() * 0.1),
    T: atMs,
    m: isBuyerMaker,
    M: true,
  }
}

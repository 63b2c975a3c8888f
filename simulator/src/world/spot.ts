import { seedOf, smoothNoise } from './random.ts'

export interface Coin {
  symbol: string
  /** As the hourly and daily market slugs and all questions spell it. */
  name: string
  usualPriceUsd: number
  perpSizeDecimals: number
  /** The spot exchange does not list every coin. */
  isOnSpot: boolean
}

export const COINS: readonly Coin[] = [
  { symbol: 'BTC', name: 'Bitcoin', usualPriceUsd: 84_000, perpSizeDecimals: 5, isOnSpot: true },
  { symbol: 'ETH', name: 'Ethereum', usualPriceUsd: 3_900, perpSizeDecimals: 4, isOnSpot: true },
  { symbol: 'SOL', name: 'Solana', usualPriceUsd: 190, perpSizeDecimals: 2, isOnSpot: true },
  { symbol: 'XRP', name: 'XRP', usualPriceUsd: 2.6, perpSizeDecimals: 0, isOnSpot: true },
  { symbol: 'DOGE', name: 'Dogecoin', usualPriceUsd: 0.21, perpSizeDecimals: 0, isOnSpot: true },
  { symbol: 'BNB', name: 'BNB', usualPriceUsd: 900, perpSizeDecimals: 3, isOnSpot: true },
  { symbol: 'HYPE', name: 'Hyperliquid', usualPriceUsd: 42, perpSizeDecimals: 2, isOnSpot: false },
  { symbol: 'ZEC', name: 'Zcash', usualPriceUsd: 280, perpSizeDecimals: 2, isOnSpot: true },
]

/** Relative standard deviation after one second; half a unit of yearly volatility. */
export const SPOT_DEVIATION_PER_ROOT_SECOND = 0.5 / Math.sqrt(365 * 86_400)

const PERIODS_MS = [250, 1_000, 4_000, 16_000, 64_000, 256_000, 1_024_000, 4_096_000, 16_384_000, 65_536_000]

export interface SpotPrices {
  priceAt(coin: Coin, atMs: number): number
  /** The mean over the minute before, which settles the short crypto windows. */
  minuteAverageAt(coin: Coin, atMs: number): number
  /** The mean of the prices at this number of whole seconds, up to and including the given time. */
  averageAt(coin: Coin, atMs: number, seconds: number): number
}

/**
 * Prices as a pure function of time, so that any moment can be computed in any order: a sum of curves with longer and
 * longer periods, each as strong as a random walk over that time.
 */
export function spotPrices(seed: string): SpotPrices {
  const curveSeeds = new Map(
    COINS.map((coin) => [coin.symbol, PERIODS_MS.map((periodMs) => seedOf(seed, 'spot', coin.symbol, periodMs))]),
  )

  function priceAt(coin: Coin, atMs: number): number {
    const seeds = curveSeeds.get(coin.symbol) ?? []
    let drift = 0
    for (const [index, periodMs] of PERIODS_MS.entries()) {
      const strength = SPOT_DEVIATION_PER_ROOT_SECOND * Math.sqrt(periodMs / 1000)
      drift += strength * smoothNoise(seeds[index] ?? 0, atMs, periodMs)
    }
    return coin.usualPriceUsd * Math.exp(drift)
  }

  function averageAt(coin: Coin, atMs: number, seconds: number): number {
    let sum = 0
    for (let second = 0; second < seconds; second++) sum += priceAt(coin, atMs - second * 1000)
    return sum / seconds
  }

  return { priceAt, averageAt, minuteAverageAt: (coin, atMs) => averageAt(coin, atMs, 60) }
}

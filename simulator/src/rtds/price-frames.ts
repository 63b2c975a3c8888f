import { random } from '../world/random.ts'
import { COINS, type Coin, type SpotPrices } from '../world/spot.ts'

/** Topics of the price socket, and how long after its price time an update arrives. */
export const TOPIC_DELAY_MS = {
  crypto_prices: 500,
  crypto_prices_chainlink: 1_400,
  crypto_prices_twap_thirty: 1_500,
  crypto_prices_twap_sixty: 1_500,
} as const
export type Topic = keyof typeof TOPIC_DELAY_MS

export const TOPICS = Object.keys(TOPIC_DELAY_MS) as Topic[]

const WINDOW_SECONDS: Partial<Record<Topic, number>> = { crypto_prices_twap_thirty: 30, crypto_prices_twap_sixty: 60 }
const EXCHANGE_COINS: readonly string[] = ['BTC', 'ETH', 'SOL', 'XRP']
const HISTORY_SECONDS = 60
/** Share of the seconds for which the venue sends no update. */
const MISSING_SHARE = 0.03

export function coinsOf(topic: Topic): readonly Coin[] {
  return topic === 'crypto_prices' ? COINS.filter(({ symbol }) => EXCHANGE_COINS.includes(symbol)) : COINS
}

/** `btcusdt` for prices of the exchange, `btc/usd` for all others. */
export function symbolOf(topic: Topic, { symbol }: Coin): string {
  return `${symbol.toLowerCase()}${topic === 'crypto_prices' ? 'usdt' : '/usd'}`
}

export function isMissing(seed: string, topic: Topic, coin: Coin, priceAtMs: number): boolean {
  return random(seed, 'price update', topic, coin.symbol, priceAtMs).chance(MISSING_SHARE)
}

export function updateFrame(spot: SpotPrices, topic: Topic, coin: Coin, priceAtMs: number, sentAtMs: number): string {
  const price = priceOf(spot, topic, coin, priceAtMs)
  const windowSeconds = WINDOW_SECONDS[topic]
  return JSON.stringify({
    topic,
    type: 'update',
    timestamp: sentAtMs,
    payload: {
      symbol: symbolOf(topic, coin),
      // Both forms were seen at the venue.
      timestamp: windowSeconds !== undefined && coin.symbol === 'ETH' ? String(priceAtMs) : priceAtMs,
      value: price,
      full_accuracy_value: topic === 'crypto_prices' ? price.toFixed(8) : price.toFixed(18).replace('.', ''),
      ...(windowSeconds !== undefined && { window_s: windowSeconds }),
    },
  })
}

/** The recent prices of one symbol; the venue labels those of every topic as `crypto_prices`. */
export function historyFrame(spot: SpotPrices, topic: Topic, coin: Coin, nowMs: number): string {
  const lastMs = Math.floor((nowMs - TOPIC_DELAY_MS[topic]) / 1_000) * 1_000
  const data = Array.from({ length: HISTORY_SECONDS }, (_, index) => {
    const timestamp = lastMs - (HISTORY_SECONDS - 1 - index) * 1_000
    return { timestamp, value: priceOf(spot, topic, coin, timestamp) }
  })
  const payload = { symbol: symbolOf(topic, coin), data }
  return JSON.stringify({ topic: 'crypto_prices', type: 'subscribe', timestamp: nowMs, payload })
}

/** Averages have no history. */
export function hasHistory(topic: Topic): boolean {
  return WINDOW_SECONDS[topic] === undefined
}

function priceOf(spot: SpotPrices, topic: Topic, coin: Coin, atMs: number): number {
  const seconds = WINDOW_SECONDS[topic]
  return seconds === undefined ? spot.priceAt(coin, atMs) : spot.averageAt(coin, atMs, seconds)
}

import type { CoinSymbol } from '../../domain/market.ts'
import type { SpotEvent } from './decode.ts'

export interface SpotQuote {
  /** In units of 0.00000001 USD. */
  price: number
  /** The exchange sends no event time, so the age is counted from receipt. */
  receivedAtMs: number
}

const OLDEST_MS = 30_000

/** The newest price of each coin; a price older than the limit is not returned. */
export class SpotPrices {
  readonly #quotes = new Map<string, SpotQuote>()
  readonly #oldestMs: number

  constructor(oldestMs = OLDEST_MS) {
    this.#oldestMs = oldestMs
  }

  take({ pair, price }: SpotEvent, receivedAtMs: number): void {
    this.#quotes.set(pair, { price, receivedAtMs })
  }

  quoteOf(coin: CoinSymbol, nowMs: number): SpotQuote | undefined {
    const quote = this.#quotes.get(pairOf(coin))
    return quote === undefined || nowMs - quote.receivedAtMs > this.#oldestMs ? undefined : quote
  }
}

export function pairOf(coin: CoinSymbol): string {
  return `${coin}USDT`
}

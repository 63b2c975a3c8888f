import { COINS, type CoinSymbol, type Market } from '../domain/market.ts'
import { MAX_PRICE_AGE_MS, type PriceSeries, type PriceSource, REFERENCE_SOURCES } from '../domain/price.ts'
import type { Price } from '../domain/rows/price.ts'
import type { PriceEvent } from '../venues/price-venue.ts'
import type { SpotQuote } from './sample.ts'

/** How long the prices of each second are remembered, to find the one that a window starts or ends with. */
const REMEMBERED_MS = 180_000
const SECOND_MS = 1_000
/** The venue's clock may be ahead of ours. */
const MOST_AHEAD_MS = 60_000
const UNITS_PER_SPOT_UNIT = 10n ** 10n

interface Series {
  newest: Price
  /** The last price of each second, by second. */
  seconds: Map<number, Price>
  /** Seconds whose price is not stored yet. */
  unstored: Set<number>
}

/** The prices of every coin from every source: the newest ones, those of the last minutes, and those to store. */
export class PriceBoard {
  readonly #series = new Map<string, Series>()
  readonly #nowMs: () => number
  readonly #maxAgeMs: Readonly<Record<PriceSource, number>>
  #storedSecond = 0

  constructor(nowMs: () => number, maxAgeMs = MAX_PRICE_AGE_MS) {
    this.#nowMs = nowMs
    this.#maxAgeMs = maxAgeMs
  }

  /** Returns false for a price with a time that can not be true, which is not taken. */
  take(event: PriceEvent, receivedAtMs: number): boolean {
    const received = Math.round(receivedAtMs)
    const { source, coin, price, priceAtMs = received } = event
    // It would stand in every row as the newest price until its time comes.
    if (priceAtMs > received + MOST_AHEAD_MS) return false
    const row = { source, coin, price, priceAtMs, isVenueTime: event.priceAtMs !== undefined, receivedAtMs: received }
    const second = Math.floor(priceAtMs / SECOND_MS)
    const series = this.#series.get(keyOf(event)) ?? { newest: row, seconds: new Map(), unstored: new Set() }
    this.#series.set(keyOf(event), series)
    if (priceAtMs >= series.newest.priceAtMs) series.newest = row
    const known = series.seconds.get(second)
    if (known?.price === price && row.isVenueTime) return true
    series.seconds.set(second, row)
    series.unstored.add(second)
    for (const each of series.seconds.keys()) {
      if (each * SECOND_MS >= series.newest.priceAtMs - REMEMBERED_MS) break
      series.seconds.delete(each)
    }
    return true
  }

  /** The newest price of a series, while it is fresh. */
  fresh(wanted: PriceSeries, nowMs = this.#nowMs()): Price | undefined {
    const newest = this.#series.get(keyOf(wanted))?.newest
    if (newest === undefined || nowMs - newest.priceAtMs > this.#maxAgeMs[wanted.source]) return undefined
    return newest
  }

  /** The last price that is not later than a time. */
  at(wanted: PriceSeries, atMs: number): Price | undefined {
    let found: Price | undefined
    for (const price of this.#series.get(keyOf(wanted))?.seconds.values() ?? [])
      if (price.priceAtMs <= atMs && price.priceAtMs >= (found?.priceAtMs ?? 0)) found = price
    return found
  }

  /** The reference price of a crypto market; other markets have none. */
  quoteFor(
    { category, subcategory }: Pick<Market, 'category' | 'subcategory'>,
    nowMs = this.#nowMs(),
  ): SpotQuote | undefined {
    const coin = category === 'crypto' ? COINS.find((symbol) => symbol === subcategory) : undefined
    return coin && this.#referenceOf(coin, nowMs)
  }

  /** The prices of seconds that are over and were not taken before. */
  takeRows(): Price[] {
    const nowSecond = Math.floor(this.#nowMs() / SECOND_MS)
    if (nowSecond === this.#storedSecond) return []
    this.#storedSecond = nowSecond
    const rows: Price[] = []
    for (const { seconds, unstored } of this.#series.values()) {
      for (const second of unstored) {
        if (second >= nowSecond) continue
        const row = seconds.get(second)
        if (row !== undefined) rows.push(row)
        unstored.delete(second)
      }
    }
    return rows
  }

  #referenceOf(coin: CoinSymbol, nowMs: number): SpotQuote | undefined {
    for (const source of REFERENCE_SOURCES) {
      const price = this.fresh({ source, coin }, nowMs)
      if (price !== undefined)
        return { source, price: Number(price.price / UNITS_PER_SPOT_UNIT), atMs: price.priceAtMs }
    }
    return undefined
  }
}

function keyOf({ source, coin }: PriceSeries): string {
  return `${source} ${coin}`
}

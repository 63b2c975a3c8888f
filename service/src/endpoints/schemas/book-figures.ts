import { type Ladders, type Level, PRICE_ONE } from '../../domain/book.ts'
import { SIZE_ONE, SPOT_ONE } from '../../domain/decimal.ts'
import type { ReferenceSource } from '../../domain/price.ts'
import { SNAPSHOT_FLAGS, type Snapshot } from '../../domain/rows/snapshot.ts'

export interface BookFigures {
  readonly bestBid: number
  readonly bestAsk: number
  readonly mid: number
  readonly spread: number
  readonly bidDepth: number
  readonly askDepth: number
}

/** An empty side counts as the venue counts it: a bid of 0, an ask of 1. */
export function figuresOf({ bids, asks }: Ladders): BookFigures {
  const bid = bids[0]?.price ?? 0
  const ask = asks[0]?.price ?? PRICE_ONE
  return {
    bestBid: priceOf(bid),
    bestAsk: priceOf(ask),
    mid: (bid + ask) / (2 * PRICE_ONE),
    spread: priceOf(ask - bid),
    bidDepth: depthOf(bids),
    askDepth: depthOf(asks),
  }
}

/** Dividing by a power of ten gives the double nearest to the decimal, which prints as the venue's text. */
export function priceOf(units: number): number {
  return units / PRICE_ONE
}

export function sizeOf(units: number): number {
  return units / SIZE_ONE
}

/** In USD; undefined where the row has none. */
export function spotPriceOf({ flags, spotPrice }: Pick<Snapshot, 'flags' | 'spotPrice'>): number | undefined {
  return flags & SNAPSHOT_FLAGS.hasSpot ? spotPrice / SPOT_ONE : undefined
}

export interface SpotMembers {
  readonly crypto_price: number
  readonly crypto_price_source: ReferenceSource
}

/** The reference price with its source; undefined where the row has none. */
export function spotMembersOf(row: Pick<Snapshot, 'flags' | 'spotPrice'>): SpotMembers | undefined {
  const price = spotPriceOf(row)
  if (price === undefined) return undefined
  const isChainlink = (row.flags & SNAPSHOT_FLAGS.chainlinkSpot) !== 0
  return { crypto_price: price, crypto_price_source: isChainlink ? 'chainlink' : 'binance' }
}

/** Sum of the sizes of the best five levels. */
export function depth5Of(levels: readonly Level[]): number {
  return depthOf(levels.slice(0, 5))
}

function depthOf(levels: readonly Level[]): number {
  return sizeOf(levels.reduce((sum, { size }) => sum + size, 0))
}

import { type Ladders, type Level, PRICE_ONE } from '../../domain/book.ts'
import { SIZE_DECIMALS } from '../../domain/decimal.ts'

const SIZE_ONE = 10 ** SIZE_DECIMALS
const DEPTH_LEVELS = 5

/** What follows from the ladders of a token, as numbers for callers. */
export interface BookFigures {
  readonly bestBid: number
  readonly bestAsk: number
  readonly mid: number
  readonly spread: number
  readonly bidDepth: number
  readonly askDepth: number
  readonly depth5Bid: number
  readonly depth5Ask: number
}

/** An empty side counts as the venue counts it: nobody bids 0, anybody sells for 1. */
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
    depth5Bid: depthOf(bids.slice(0, DEPTH_LEVELS)),
    depth5Ask: depthOf(asks.slice(0, DEPTH_LEVELS)),
  }
}

/** A division by a power of ten gives the double nearest to the decimal, which prints as the venue's own text. */
export function priceOf(units: number): number {
  return units / PRICE_ONE
}

export function sizeOf(units: number): number {
  return units / SIZE_ONE
}

export function pairsOf(levels: readonly Level[]): [price: number, size: number][] {
  return levels.map(({ price, size }) => [priceOf(price), sizeOf(size)])
}

function depthOf(levels: readonly Level[]): number {
  return sizeOf(levels.reduce((sum, { size }) => sum + size, 0))
}

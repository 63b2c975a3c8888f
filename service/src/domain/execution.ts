import { type Level, PRICE_ONE } from './book.ts'
import { PRICE_DECIMALS, SIZE_DECIMALS } from './decimal.ts'

/** An order by size in units of 0.000001 shares, or by value in units of 0.0000000001 USD. */
export type Order = { readonly size: bigint } | { readonly notional: bigint }

/** The result of a market order against the current levels. */
export interface Execution {
  readonly levelCount: number
  /** In units of 0.000001 shares. */
  readonly filledSize: bigint
  /** Paid or received, in units of 0.0000000001 USD; exact. */
  readonly filledNotional: bigint
  /** In the unit of the order; filled plus unfilled is exactly the order. */
  readonly unfilled: bigint
  /** Whether the order was filled, except for a rest that is smaller than one unit. */
  readonly isComplete: boolean
  readonly bestPrice?: number
  readonly worstPrice?: number
}

/** A price times a size has the decimals of both. */
export const NOTIONAL_DECIMALS = PRICE_DECIMALS + SIZE_DECIMALS

/** Levels are sorted by best price. Uses bigint, because price × size can exceed the safe range of a double. */
export function execute(levels: readonly Level[], order: Order): Execution {
  const isBySize = 'size' in order
  let left = isBySize ? order.size : order.notional
  let [filledSize, filledNotional, levelCount] = [0n, 0n, 0]
  let worstPrice: number | undefined
  let isComplete = left === 0n
  for (const { price, size } of levels) {
    if (isComplete) break
    const unitCost = isBySize ? 1n : BigInt(price)
    const affordable = left / unitCost
    const taken = affordable < BigInt(size) ? affordable : BigInt(size)
    isComplete = affordable <= BigInt(size)
    if (taken === 0n) break
    filledSize += taken
    filledNotional += taken * BigInt(price)
    left -= taken * unitCost
    levelCount++
    worstPrice = price
  }
  const bestPrice = levels[0]?.price
  return {
    levelCount,
    filledSize,
    filledNotional,
    unfilled: left,
    isComplete,
    ...(bestPrice !== undefined && { bestPrice }),
    ...(worstPrice !== undefined && { worstPrice }),
  }
}

/** The mean price paid, in price units; undefined when nothing was filled. */
export function meanPrice({ filledNotional, filledSize }: Execution): number | undefined {
  return filledSize === 0n ? undefined : ratioOf(filledNotional, filledSize)
}

/** The midpoint in price units; an empty side counts as 0 (bids) or 1 (asks), as at the venue. */
export function midPrice(bestBid: number | undefined, bestAsk: number | undefined): number {
  return ((bestBid ?? 0) + (bestAsk ?? PRICE_ONE)) / 2
}

const RATIO_DIGITS = 10
const RATIO_ONE = 10n ** BigInt(RATIO_DIGITS)

/** Divides as bigint first, because the operands may exceed the range of a double. */
export function ratioOf(dividend: bigint, divisor: bigint): number {
  return Number((dividend * RATIO_ONE) / divisor) / Number(RATIO_ONE)
}

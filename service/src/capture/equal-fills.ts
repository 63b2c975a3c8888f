import type { TradeEvent } from '../venues/venue.ts'

/** The column has one byte. */
const MOST = 255

/**
 * Numbers the equal fills of one frame. Two fills of one frame that are equal in every field are two fills; the same
 * fill in another frame is a repeat, which gets the same number and is stored once.
 */
export class EqualFills {
  #counts: Map<string, number> | undefined

  countBefore({ tokenId, trade }: TradeEvent): number {
    const { transactionHash, side, price, size, tradedAtMs } = trade
    const key = `${tokenId} ${transactionHash} ${side} ${price} ${size} ${tradedAtMs}`
    this.#counts ??= new Map()
    const count = this.#counts.get(key) ?? 0
    this.#counts.set(key, count + 1)
    return Math.min(count, MOST)
  }
}

import type { TradeEvent } from '../venues/venue.ts'

export type OverlapCheckpoint = readonly (readonly [
  socket: number,
  counts: readonly (readonly [fill: string, count: number])[],
])[]

/**
 * Trades of a market that two sockets deliver at the same time: each is taken once, from the socket that delivers it
 * first. Fills that are equal in everything are counted, so none of them is lost.
 */
export class TradeOverlap {
  readonly #seen = new Map<number, Map<string, number>>()

  checkpoint(): OverlapCheckpoint {
    return [...this.#seen].map(([socket, counts]) => [socket, [...counts]])
  }

  restore(checkpoint: OverlapCheckpoint): void {
    for (const [socket, counts] of checkpoint) this.#seen.set(socket, new Map(counts))
  }

  isNew(socket: number, { tokenId, trade }: TradeEvent): boolean {
    const { side, price, size, tradedAtMs, transactionHash } = trade
    const key = `${tokenId} ${side} ${price} ${size} ${tradedAtMs} ${transactionHash}`
    const own = this.#seen.get(socket) ?? new Map<string, number>()
    this.#seen.set(socket, own)
    const count = (own.get(key) ?? 0) + 1
    own.set(key, count)
    for (const [other, seen] of this.#seen) if (other !== socket && (seen.get(key) ?? 0) >= count) return false
    return true
  }
}

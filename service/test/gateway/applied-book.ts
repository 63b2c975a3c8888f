import type { AnyFrame } from './stream-client.ts'

/** Bids and asks of up, then of down, best price first; or only those of a perp. */
export type WireBook = [price: number, size: number][][]

export function bookOf({ up, down, book }: AnyFrame): WireBook {
  return book === undefined ? [up.bids, up.asks, down.bids, down.asks] : [book.bids, book.asks]
}

/** The book of a client after a delta: sizes replace, 0 removes a level. */
export function applyDelta(before: WireBook | undefined, frame: AnyFrame): WireBook {
  return bookOf(frame).map((changes, side) => {
    const levels = new Map(before?.[side] ?? [])
    for (const [price, size] of changes) {
      if (size === 0) levels.delete(price)
      else levels.set(price, size)
    }
    return [...levels].sort(([one], [other]) => (side % 2 === 0 ? other - one : one - other))
  })
}

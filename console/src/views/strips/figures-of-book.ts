type Levels = readonly (readonly [price: number, size: number])[]

interface Book {
  readonly bids: Levels
  readonly asks: Levels
}

export const BEST_LEVELS = 5

/** Undefined when a side is empty. */
export function spreadOf({ bids, asks }: Book): number | undefined {
  const bid = bids[0]?.[0]
  const ask = asks[0]?.[0]
  return bid === undefined || ask === undefined ? undefined : ask - bid
}

/** Of the five best levels: from -1 (only asks) to 1 (only bids); undefined for an empty book. */
export function imbalanceOf({ bids, asks }: Book): number | undefined {
  const sumOf = (levels: Levels): number => levels.slice(0, BEST_LEVELS).reduce((sum, [, size]) => sum + size, 0)
  const bid = sumOf(bids)
  const ask = sumOf(asks)
  return bid + ask === 0 ? undefined : (bid - ask) / (bid + ask)
}

export interface Hops {
  readonly toRecorder: number
  readonly toSlot: number
  readonly toStream: number
  /** Compares the clocks of two computers. */
  readonly toPage: number
}

/** Where the time goes between a change at the venue and this page. */
export function hopsOf(
  book: { eventAt: number; receivedAt: number; capturedAt: number; sentAt: number },
  nowMs: number,
): Hops {
  return {
    toRecorder: book.receivedAt - book.eventAt,
    toSlot: book.capturedAt - book.receivedAt,
    toStream: book.sentAt - book.capturedAt,
    toPage: nowMs - book.sentAt,
  }
}

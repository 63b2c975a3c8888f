import type { ContextFigures } from '../domain/rows/perp-context.ts'
import type { PerpLadders, PerpTouch } from '../domain/rows/perp-snapshot.ts'
import type { PerpTrade } from '../domain/rows/perp-trade.ts'

/** A whole book of twenty levels per side; a missed one only makes the book older. */
export interface PerpBookEvent {
  kind: 'book'
  coin: string
  eventAtMs: number
  ladders: PerpLadders
}

/** Best bid and ask, newer than any whole book. */
export interface PerpTouchEvent {
  kind: 'touch'
  coin: string
  touch: PerpTouch
}

/** The first trades after a subscription are old ones, of which some may have come before. */
export interface PerpTradeEvent {
  kind: 'trade'
  coin: string
  trade: Omit<PerpTrade, 'venue' | 'symbol' | 'receivedAtMs'>
}

/** Comes about every second, also unchanged. */
export interface PerpContextEvent {
  kind: 'context'
  coin: string
  figures: ContextFigures
}

export type PerpEvent = PerpBookEvent | PerpTouchEvent | PerpTradeEvent | PerpContextEvent

/** `deep` has whole books, `quick` five levels, the touch, trades and contexts; on one socket their frames could not be distinguished. */
export type PerpStream = 'deep' | 'quick'

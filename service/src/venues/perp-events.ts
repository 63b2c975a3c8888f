import type { PerpLadders, PerpTouch } from '../domain/rows/perp-snapshot.ts'

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

export type PerpEvent = PerpBookEvent | PerpTouchEvent

/** `deep` has whole books, `quick` five levels and the touch; on one socket their frames could not be distinguished. */
export type PerpStream = 'deep' | 'quick'

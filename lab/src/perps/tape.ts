/** A trade as text, so that equal trades are equal texts, and its time by the venue. */
export interface TapeTrade {
  readonly id: number
  readonly atMs: number
  readonly text: string
}

/** A context as text, and when it was received or told. */
export interface TapeContext {
  readonly atMs: number
  readonly text: string
}

/** Trades and contexts of one coin from one place: the venue, the lists, a live stream or a replay. */
export interface Tape {
  readonly trades: readonly TapeTrade[]
  readonly contexts: readonly TapeContext[]
}

export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

export const COINS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC'] as const

/** The figures that the lists, the frames and the venue share, in one order. */
export function contextText(figures: readonly (number | null)[]): string {
  return figures.join(' ')
}

export function tradeText(id: number, action: string, price: number, size: number, atMs: number): string {
  return [id, action, price, size, atMs].join(' ')
}

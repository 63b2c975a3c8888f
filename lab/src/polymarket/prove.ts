import { bookHasher, type HashedBook } from './book-hash.ts'
import { complementOf, lastTradeTexts } from './decimal.ts'
import type { ProofKind } from './tally.ts'

/** Sources of the last trade price inside a hash, strongest first. */
export interface LastTradeClues {
  /** A first book includes the price, so no other price is tried. */
  readonly stated: string | undefined
  readonly oldValues: readonly string[]
  /** Prices of the levels that changed: a trade reduces the level at its price. */
  readonly touchedPrices: Iterable<string>
  readonly tradePrice: string | undefined
  readonly maySearch: boolean
}

export interface Proof {
  readonly kind: ProofKind
  readonly lastTradePrice: string
}

/** Finds the last trade price with which the book gives the published hash. */
export function prove(
  book: Omit<HashedBook, 'lastTradePrice'>,
  hash: string,
  clues: LastTradeClues,
): Proof | undefined {
  const hashWith = bookHasher(book)
  const tried = new Set<string>()
  for (const [kind, lastTradePrice] of candidates(clues)) {
    if (tried.has(lastTradePrice)) continue
    tried.add(lastTradePrice)
    if (hashWith(lastTradePrice) === hash) return { kind, lastTradePrice }
  }
  return undefined
}

function* candidates(clues: LastTradeClues): Generator<[ProofKind, string]> {
  if (clues.stated !== undefined) {
    yield ['stated', clues.stated]
    return
  }
  for (const value of clues.oldValues) yield ['oldValue', value]
  for (const price of clues.touchedPrices) for (const text of bothViews(price)) yield ['touchedLevel', text]
  if (clues.tradePrice !== undefined) for (const text of bothViews(clues.tradePrice)) yield ['tradeEvent', text]
  if (clues.maySearch)
    for (let thousandths = 1; thousandths <= 999; thousandths++)
      yield ['search', `0.${String(thousandths).padStart(3, '0')}`]
}

/** A trade of one token at p is one of the other at 1 − p, and the market's last price may be either. */
export function bothViews(price: string): string[] {
  return [...lastTradeTexts(price), ...lastTradeTexts(complementOf(price))]
}

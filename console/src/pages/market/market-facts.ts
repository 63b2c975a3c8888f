import type { BadgeWords } from '../../words/proof-badges.ts'

/** What the header shows of the present book, at most once a second. */
export interface MarketFacts {
  /** Middle of the best prices; undefined when a side of the book is empty. */
  readonly upMid: number | undefined
  readonly downMid: number | undefined
  readonly badge: BadgeWords | undefined
}

import { type FoundTexts, type Page, type WeighedWords, WordIndex } from '../../domain/word-index.ts'
import type { StoredMarket } from './postgres-market-rows.ts'

export const SEARCHED_FIELDS = ['question', 'eventTitle', 'slug', 'subcategory', 'label'] as const
type SearchedMarket = Pick<StoredMarket, 'id' | (typeof SEARCHED_FIELDS)[number]>

/** Every word costs time, so more are not looked up. */
export const MAX_WORDS = 6
const QUESTION_COUNTS = 2
/** In nearly every question, so they tell nothing. */
const COMMON = new Set('a an and at be by for in is it of on or than the to will with'.split(' '))

/** A full-text index of markets. */
export class MarketSearch {
  readonly #index = new WordIndex()

  has(id: string): boolean {
    return this.#index.has(id)
  }

  /** Adds a market, or replaces what was known of it. */
  put(market: SearchedMarket): void {
    this.#index.put(market.id, wordsOf(market))
  }

  remove(id: string): void {
    this.#index.remove(id)
  }

  /** Best first: the markets that have all words, and when there is none, those that have some of them. */
  find(text: string, isWanted: (id: string) => boolean, page: Page): FoundTexts {
    return this.#index.find(wordsIn(text).slice(0, MAX_WORDS), isWanted, page)
  }
}

/** A word of a short text says more about it than one of a long text. */
function wordsOf({ question, eventTitle, slug, subcategory, label }: SearchedMarket): WeighedWords {
  const asked = wordsIn(question)
  const others = wordsIn(`${eventTitle} ${slug} ${subcategory} ${label}`)
  const weighed = new Map(others.map((word) => [word, 1 / Math.sqrt(others.length)]))
  for (const word of asked) weighed.set(word, QUESTION_COUNTS / Math.sqrt(asked.length))
  return weighed
}

/** Each word once. */
function wordsIn(text: string): string[] {
  const words = text.toLowerCase().split(/[\n\r\p{Z}\p{P}]+/u)
  return [...new Set(words)].filter((word) => word !== '' && !COMMON.has(word))
}

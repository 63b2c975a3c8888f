import MiniSearch from 'minisearch'
import type { StoredMarket } from './postgres-market-rows.ts'

export const SEARCHED_FIELDS = ['question', 'eventTitle', 'slug', 'subcategory', 'label'] as const
type SearchedMarket = Pick<StoredMarket, 'id' | (typeof SEARCHED_FIELDS)[number]>

export interface SearchHit {
  readonly id: string
  /** Higher is better; comparable only within one search. */
  readonly score: number
}

/** Every word costs time, so more are not looked up. */
export const MAX_WORDS = 6
/** Letters by which a misspelled word may differ; two letters in the wrong order count as two. */
const differingLetters = (word: string): number => (word.length < 4 ? 0 : word.length < 6 ? 1 : 2)
/** Shorter words are the beginning of too many others. */
const PREFIX_FROM_LETTERS = 3
/** In nearly every question, so they tell nothing. */
const COMMON = new Set('a an and at be by for in is it of on or than the to will with'.split(' '))

/** A full-text index of markets: whole words count most, then beginnings of words, then misspelled words. */
export class MarketSearch {
  readonly #index = new MiniSearch<SearchedMarket>({
    fields: ['question', 'others'],
    extractField: (market, field) => (field === 'others' ? otherWords(market) : market[field as 'id' | 'question']),
    processTerm: (word) => {
      const lower = word.toLowerCase()
      return COMMON.has(lower) ? null : lower
    },
    searchOptions: {
      boost: { question: 2 },
      prefix: (word) => word.length >= PREFIX_FROM_LETTERS,
      fuzzy: (word) => differingLetters(word),
    },
  })

  has(id: string): boolean {
    return this.#index.has(id)
  }

  /** Adds a market, or replaces what was known of it. */
  put(market: SearchedMarket): void {
    if (this.#index.has(market.id)) this.#index.replace(market)
    else this.#index.add(market)
  }

  remove(id: string): void {
    if (this.#index.has(id)) this.#index.discard(id)
  }

  /** Best first: the markets that have all words, and when there is none, those that have some of them. */
  find(text: string, isWanted: (id: string) => boolean): SearchHit[] {
    const words = wordsIn(text).slice(0, MAX_WORDS)
    const found = this.#index.search(words.join(' '), { filter: ({ id }) => isWanted(id) })
    const withAll = found.filter(({ queryTerms }) => queryTerms.length === words.length)
    return (withAll.length > 0 ? withAll : found).map(({ id, score }) => ({ id, score }))
  }
}

/** Words of the other texts. Most are in the question as well, and each field costs time in every search. */
function otherWords({ question, eventTitle, slug, subcategory, label }: SearchedMarket): string {
  const known = new Set(wordsIn(question))
  return wordsIn(`${eventTitle} ${slug} ${subcategory} ${label}`)
    .filter((word) => !known.has(word))
    .join(' ')
}

/** Divided as the index divides texts, each word once. */
function wordsIn(text: string): string[] {
  const words = text.toLowerCase().split(/[\n\r\p{Z}\p{P}]+/u)
  return [...new Set(words)].filter((word) => word !== '' && !COMMON.has(word))
}

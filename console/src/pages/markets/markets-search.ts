import { CATEGORIES, type Category, COINS, STATUSES, type Status, TIMEFRAMES } from './filter-choices.ts'

interface MarketFilters {
  /** Words to search for. */
  readonly q?: string
  readonly category?: Category
  readonly subcategory?: string
  readonly coin?: (typeof COINS)[number]
  readonly timeframe?: (typeof TIMEFRAMES)[number]
  readonly status?: Status
  /** Only markets without a missing slot; for recorded markets. */
  readonly complete?: true
}

/** The view of the catalogue, as its address has it. */
export interface MarketsSearch extends MarketFilters {
  /** All markets that were ever recorded, instead of the present ones. */
  readonly view?: 'ever'
  /** Of the present markets; the first is 1. */
  readonly page?: number
  /** Of the recorded markets; left out for the first page. */
  readonly cursor?: string
}

export const PAGE_ROWS = 50
const MAX_SUBCATEGORY = 64
export const MAX_WORDS_LENGTH = 200
const MAX_PAGE = 100_000
const CURSOR = /^[\w-]{1,400}$/

/** Reads the view from the address; a wrong value is left out. */
export function readMarketsSearch(search: Record<string, unknown>): MarketsSearch {
  const view = search.view === 'ever' ? 'ever' : undefined
  const q = textOf(search.q).trim()
  const hasWords = q !== '' && q.length <= MAX_WORDS_LENGTH
  const subcategory = textOf(search.subcategory).trim()
  const page = Number(search.page)
  const cursor = textOf(search.cursor)
  return withoutEmpty({
    view,
    q: hasWords ? q : undefined,
    category: CATEGORIES.find((each) => each === search.category),
    subcategory: subcategory !== '' && subcategory.length <= MAX_SUBCATEGORY ? subcategory : undefined,
    coin: COINS.find((each) => each === search.coin),
    timeframe: TIMEFRAMES.find((each) => each === search.timeframe),
    status: statusesOf(view, hasWords).find((each) => each === search.status),
    complete: view === 'ever' && search.complete === true ? true : undefined,
    page: view === undefined && Number.isInteger(page) && page > 1 && page <= MAX_PAGE ? page : undefined,
    cursor: view === 'ever' && CURSOR.test(cursor) ? cursor : undefined,
  })
}

/** An address turns text of digits into a number. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Recorded markets are live or ended; the others are not told apart. Words find ended markets among the recorded ones. */
export function statusesOf(view: MarketsSearch['view'], hasWords: boolean): readonly Status[] {
  if (view === 'ever') return ['live', 'ended']
  return hasWords ? STATUSES.filter((status) => status !== 'ended') : STATUSES
}

/** Another filter begins at the first page. A filter with the value undefined is removed. */
export function withFilter(
  search: MarketsSearch,
  changes: { [Name in keyof MarketFilters | 'view']?: unknown },
): MarketsSearch {
  const { page: _page, cursor: _cursor, ...filters } = search
  return readMarketsSearch({ ...filters, ...changes })
}

const FILTER_NAMES = ['q', 'category', 'subcategory', 'coin', 'timeframe', 'status', 'complete'] as const

/** The filters that are set, with their value as text. */
export function activeFilters(search: MarketFilters): { name: (typeof FILTER_NAMES)[number]; text: string }[] {
  return FILTER_NAMES.flatMap((name) => {
    const value = search[name]
    if (value === undefined) return []
    return [{ name, text: filterText(name, value) }]
  })
}

function filterText(name: string, value: string | true): string {
  if (name === 'complete') return 'only complete'
  return name === 'q' ? `the words “${value}”` : `${name} ${value}`
}

/** Query of `/v1/markets/live`, and with words of `/v1/markets/search`. */
export function liveParameters({ page = 1, ...filters }: MarketsSearch): URLSearchParams {
  const parameters = filterParameters(filters)
  if (filters.status !== undefined) parameters.set('status', filters.status === 'ended' ? 'expired' : filters.status)
  parameters.set('limit', String(PAGE_ROWS))
  parameters.set('offset', String((page - 1) * PAGE_ROWS))
  return parameters
}

/** Query of `/v1/markets/history`. */
export function historyParameters({ cursor, complete, ...filters }: MarketsSearch): URLSearchParams {
  const parameters = filterParameters(filters)
  if (filters.status !== undefined) parameters.set('status', filters.status === 'ended' ? 'closed' : filters.status)
  if (complete === true) parameters.set('complete', 'true')
  parameters.set('limit', String(PAGE_ROWS))
  if (cursor !== undefined) parameters.set('cursor', cursor)
  return parameters
}

function filterParameters({ q, category, subcategory, coin, timeframe }: MarketFilters): URLSearchParams {
  const given = { q, venue: 'all', category, subcategory, crypto: coin, timeframe }
  return new URLSearchParams(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

type Present<Value> = { [Name in keyof Value]?: Exclude<Value[Name], undefined> }

function withoutEmpty<Value extends object>(value: Value): Present<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Present<Value>
}

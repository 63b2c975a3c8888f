import { setImmediate } from 'node:timers/promises'
import { type MarketStatus, marketStatusAt } from '../../domain/market-status.ts'
import { SlugIndex } from '../../domain/slug-index.ts'
import type { Page } from '../../domain/word-index.ts'
import { MarketSearch, SEARCHED_FIELDS } from './market-search.ts'
import type { MarketFilter } from './markets.ts'
import type { StoredMarket } from './postgres-market-rows.ts'

/** An ended market that is not resolved leaves the list after this time. */
export const MAX_SETTLING_MS = 86_400_000
/** Takes some milliseconds. */
const INDEXED_AT_ONCE = 200
const NOT_OVER: readonly MarketStatus[] = ['live', 'upcoming']

export interface FoundByText {
  /** Of all pages. */
  readonly total: number
  /** Of the page, best first; scores are comparable only within one search. */
  readonly found: readonly { readonly market: StoredMarket; readonly score: number }[]
}

/** Every market that is not resolved yet, in memory, with its order and its slugs. */
export class MarketList {
  #byId = new Map<string, StoredMarket>()
  /** Soonest-ending first, ties by id. */
  #sorted: StoredMarket[] = []
  /** By venue; undefined for every venue. An index is made when it is first used. */
  #slugs = new Map<string | undefined, SlugIndex>()
  /** Made when it is first used; until it is complete, changes are made in it, too. */
  #search: MarketSearch | undefined
  #isComplete: Promise<void> | undefined

  get ids(): Iterable<string> {
    return this.#byId.keys()
  }

  /** Takes these markets in place of all others. */
  replace(markets: readonly StoredMarket[], nowMs: number): void {
    const current = markets.filter((market) => isCurrent(market, nowMs)).sort(inOrder)
    const wanted = new Map(current.map((market) => [market.id, market]))
    for (const id of this.#byId.keys()) if (!wanted.has(id)) this.#removeFromIndexes(id)
    for (const market of current) this.#putInIndexes(market)
    this.#byId = wanted
    this.#sorted = current
  }

  /** Adds the market, replaces what was known of it, or removes it when it is over. */
  put(market: StoredMarket, nowMs: number): void {
    if (!isCurrent(market, nowMs)) return this.remove(market.id)
    const before = this.#byId.get(market.id)
    if (before !== undefined) this.#sorted.splice(this.#placeOf(before), 1)
    this.#sorted.splice(this.#placeOf(market), 0, market)
    this.#putInIndexes(market)
    this.#byId.set(market.id, market)
  }

  remove(id: string): void {
    const market = this.#byId.get(id)
    if (market === undefined) return
    this.#sorted.splice(this.#placeOf(market), 1)
    this.#byId.delete(id)
    this.#removeFromIndexes(id)
  }

  removeEnded(nowMs: number): void {
    for (let first = this.#sorted[0]; first !== undefined && !isCurrent(first, nowMs); first = this.#sorted[0]) {
      this.remove(first.id)
    }
  }

  byId(id: string, nowMs: number): StoredMarket | undefined {
    const market = this.#byId.get(id)
    return market && withStatus(market, nowMs)
  }

  /** Soonest-ending first, ended markets last; ties by id. */
  list(filter: MarketFilter, nowMs: number): StoredMarket[] {
    const { statuses = NOT_OVER } = filter
    const current: StoredMarket[] = []
    const over: StoredMarket[] = []
    for (const market of this.#sorted) {
      if (!matches(market, filter)) continue
      const found = withStatus(market, nowMs)
      if (statuses.includes(found.status)) (NOT_OVER.includes(found.status) ? current : over).push(found)
    }
    return over.length === 0 ? current : [...current, ...over]
  }

  /** Searches only markets of this list, of one venue or of every venue. */
  resolveSlug(slug: string, nowMs: number, venue?: string): ReturnType<SlugIndex['resolve']> {
    const index = this.#slugs.get(venue) ?? new SlugIndex(ofVenue(this.#sorted, venue).map(candidateOf))
    this.#slugs.set(venue, index)
    return index.resolve(slug, nowMs)
  }

  /** Best first; the same filters as a list. */
  async search(text: string, filter: MarketFilter, nowMs: number, page: Page): Promise<FoundByText> {
    const search = this.#search ?? new MarketSearch()
    this.#search = search
    this.#isComplete ??= this.#complete(search)
    await this.#isComplete
    const isWanted = (id: string): boolean => {
      const market = this.#byId.get(id)
      return market !== undefined && matches(market, filter) && hasStatus(market, filter, nowMs)
    }
    const { total, hits } = search.find(text, isWanted, page)
    const found = hits.flatMap(({ id, score }) => {
      const market = this.byId(id, nowMs)
      return market === undefined ? [] : [{ market, score }]
    })
    return { total, found }
  }

  /** In pieces: other requests must not wait until all markets are in the index. */
  async #complete(search: MarketSearch): Promise<void> {
    for (const [count, id] of [...this.#byId.keys()].entries()) {
      const market = this.#byId.get(id)
      if (market !== undefined && !search.has(id)) search.put(market)
      if (count % INDEXED_AT_ONCE === 0) await setImmediate()
    }
  }

  #putInIndexes(market: StoredMarket): void {
    const before = this.#byId.get(market.id)
    if (before === undefined || !hasSameTexts(before, market)) this.#search?.put(market)
    if (before !== undefined && hasSameSlug(before, market)) return
    for (const [venue, index] of this.#slugs) {
      if (venue === undefined || venue === market.venue) index.put(candidateOf(market))
    }
  }

  #removeFromIndexes(id: string): void {
    this.#search?.remove(id)
    for (const index of this.#slugs.values()) index.remove(id)
  }

  /** The place of a market of the list, or where it belongs. */
  #placeOf(market: StoredMarket): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.#sorted[middle]
      if (other !== undefined && inOrder(other, market) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

function isCurrent({ resolution, endsAtMs }: StoredMarket, nowMs: number): boolean {
  return resolution === undefined && endsAtMs > nowMs - MAX_SETTLING_MS
}

function inOrder(one: StoredMarket, other: StoredMarket): number {
  return one.endsAtMs - other.endsAtMs || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
}

function ofVenue(markets: readonly StoredMarket[], venue: string | undefined): readonly StoredMarket[] {
  return venue === undefined ? markets : markets.filter((market) => market.venue === venue)
}

/** All but the status, which changes with time. */
function matches(market: StoredMarket, filter: MarketFilter): boolean {
  const { venue, category, categories, subcategory, coin, timeframe } = filter
  return (
    (venue === undefined || market.venue === venue) &&
    (category === undefined || market.category === category) &&
    (categories === undefined || categories.includes(market.category)) &&
    (subcategory === undefined || market.subcategory === subcategory) &&
    (coin === undefined || (market.category === 'crypto' && market.subcategory === coin)) &&
    (timeframe === undefined || market.timeframe === timeframe)
  )
}

function hasStatus(market: StoredMarket, { statuses = NOT_OVER }: MarketFilter, nowMs: number): boolean {
  return statuses.includes(marketStatusAt(nowMs, market, market.resolution !== undefined))
}

function candidateOf(market: StoredMarket) {
  const { id, venue, slug, category, subcategory, timeframe, startsAtMs, endsAtMs } = market
  return {
    marketId: id,
    venue,
    slug,
    ...(category === 'crypto' && { coin: subcategory }),
    timeframe,
    ...(startsAtMs !== undefined && { startsAtMs }),
    endsAtMs,
  }
}

function hasSameSlug(one: StoredMarket, other: StoredMarket): boolean {
  const [first, second] = [candidateOf(one), candidateOf(other)]
  return Object.keys({ ...first, ...second }).every(
    (name) => first[name as keyof typeof first] === second[name as keyof typeof second],
  )
}

function hasSameTexts(one: StoredMarket, other: StoredMarket): boolean {
  return SEARCHED_FIELDS.every((name) => one[name] === other[name])
}

function withStatus(market: StoredMarket, nowMs: number): StoredMarket {
  const status = marketStatusAt(nowMs, market, market.resolution !== undefined)
  return status === market.status ? market : { ...market, status }
}

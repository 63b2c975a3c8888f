import { setTimeout as sleep } from 'node:timers/promises'
import { type MarketStatus, marketStatusAt } from '../../domain/market-status.ts'
import type { CategoryPlan } from '../../domain/plan.ts'
import { SlugIndex } from '../../domain/slug-index.ts'
import type { MarketFilter, Markets } from './markets.ts'
import type { StoredMarket } from './postgres-market-rows.ts'

export interface CatalogueSource {
  readonly markets: Pick<Markets, 'list'>
  readonly plans: () => Promise<readonly CategoryPlan[]>
}

interface UsedIndex {
  readonly index: SlugIndex
  isUsed: boolean
}

const REFRESH_EVERY_MS = 2_000
const STATUSES: readonly MarketStatus[] = ['live', 'upcoming', 'settling']
/** An ended market that is not resolved leaves the catalogue after this time. */
const MAX_SETTLING_MS = 86_400_000
const NOT_OVER: readonly MarketStatus[] = ['live', 'upcoming']

/** Every market that is not resolved yet, in memory: current lists and lookups need no database and work while it is away. */
export class LiveCatalogue {
  readonly #source: CatalogueSource
  #byId = new Map<string, StoredMarket>()
  /** Soonest-ending first, ties by id. */
  #sorted: readonly StoredMarket[] = []
  /** By venue; undefined for every venue. An index is made when it is first used. */
  #slugs = new Map<string | undefined, UsedIndex>()
  #plans: readonly CategoryPlan[] = []
  #refreshedAtMs: number | undefined
  #begun = 0
  #applied = 0

  constructor(source: CatalogueSource) {
    this.#source = source
  }

  /** Undefined until it has been read for the first time. */
  get refreshedAtMs(): number | undefined {
    return this.#refreshedAtMs
  }

  get plans(): readonly CategoryPlan[] {
    return this.#plans
  }

  async run(onTrouble: (error: unknown) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.refresh(Date.now()).catch(onTrouble)
      await sleep(REFRESH_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  async refresh(nowMs: number): Promise<void> {
    const turn = ++this.#begun
    const [markets, plans] = await Promise.all([
      this.#source.markets.list({ statuses: STATUSES }, nowMs),
      this.#source.plans(),
    ])
    // A slow read must not replace what a later one has found.
    if (turn < this.#applied) return
    this.#applied = turn
    const current = markets.filter(({ endsAtMs }) => endsAtMs > nowMs - MAX_SETTLING_MS)
    const sorted = current.toSorted((one, other) => one.endsAtMs - other.endsAtMs || (one.id < other.id ? -1 : 1))
    const before = { sorted: this.#sorted, byId: this.#byId }
    this.#byId = new Map(sorted.map((market) => [market.id, market]))
    this.#sorted = sorted
    this.#plans = plans
    this.#refreshSlugs(before.sorted, before.byId)
    this.#refreshedAtMs = nowMs
  }

  /** Building an index takes 0.1 s for a large venue, and the slug of a market never changes. */
  #refreshSlugs(before: readonly StoredMarket[], known: ReadonlyMap<string, StoredMarket>): void {
    for (const [venue, { isUsed }] of this.#slugs) {
      const now = ofVenue(this.#sorted, venue)
      if (now.length === ofVenue(before, venue).length && now.every(({ id }) => known.has(id))) continue
      this.#slugs.delete(venue)
      if (isUsed) this.#slugs.set(venue, { index: new SlugIndex(now.map(candidateOf)), isUsed: false })
    }
  }

  byId(id: string, nowMs: number): StoredMarket | undefined {
    const market = this.#byId.get(id)
    return market && withStatus(market, nowMs)
  }

  /** Soonest-ending first, ended markets last; ties by id. */
  list(filter: MarketFilter, nowMs: number): StoredMarket[] {
    const { venue, category, categories, subcategory, coin, timeframe, statuses = NOT_OVER } = filter
    const found = ofVenue(this.#sorted, venue)
      .filter(
        (market) =>
          (category === undefined || market.category === category) &&
          (categories === undefined || categories.includes(market.category)) &&
          (subcategory === undefined || market.subcategory === subcategory) &&
          (coin === undefined || (market.category === 'crypto' && market.subcategory === coin)) &&
          (timeframe === undefined || market.timeframe === timeframe),
      )
      .map((market) => withStatus(market, nowMs))
      .filter(({ status }) => statuses.includes(status))
    const isOver = ({ status }: StoredMarket): boolean => !NOT_OVER.includes(status)
    return [...found.filter((market) => !isOver(market)), ...found.filter(isOver)]
  }

  /** Searches only markets that have not ended, of one venue or of every venue. */
  resolveSlug(slug: string, nowMs: number, venue?: string): ReturnType<SlugIndex['resolve']> {
    const known = this.#slugs.get(venue)
    const used = known ?? { index: new SlugIndex(ofVenue(this.#sorted, venue).map(candidateOf)), isUsed: true }
    used.isUsed = true
    this.#slugs.set(venue, used)
    return used.index.resolve(slug, nowMs)
  }
}

function ofVenue(markets: readonly StoredMarket[], venue: string | undefined): readonly StoredMarket[] {
  return venue === undefined ? markets : markets.filter((market) => market.venue === venue)
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

function withStatus(market: StoredMarket, nowMs: number): StoredMarket {
  const status = marketStatusAt(nowMs, market, market.resolution !== undefined)
  return status === market.status ? market : { ...market, status }
}

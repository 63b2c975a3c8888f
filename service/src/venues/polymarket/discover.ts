import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Market } from '../../domain/market.ts'
import type { CategoryPlan } from '../../domain/plan.ts'
import { Tallies } from '../tally.ts'
import type { Listing } from '../venue.ts'
import type { VenueHttp } from '../venue-http.ts'
import { type GammaEvent, GammaMarketSchema } from './gamma.ts'
import { type EventList, listEvents, type OnProblem, searchEvents } from './list-events.ts'
import { readMarket } from './listed-market.ts'
import { MoreMarkets } from './more-markets.ts'
import { LATE_EVENT_MS, leadMs, type PlannedList, plannedLists, WINDOW_LIST } from './plan-queries.ts'
import { WindowLookups } from './window-lookups.ts'

interface KeptList extends EventList {
  atMs: number
}

/** Lists the markets of each plan. What it could not read makes the listing partial; it never means that a market ended. */
export class Discovery {
  readonly #gamma: VenueHttp
  readonly #onProblem: OnProblem
  readonly #lists = new Map<string, KeptList>()
  readonly #windows: WindowLookups
  readonly #moreMarkets: MoreMarkets

  constructor(gamma: VenueHttp, onProblem: OnProblem) {
    this.#gamma = gamma
    this.#onProblem = onProblem
    this.#windows = new WindowLookups(gamma, onProblem)
    this.#moreMarkets = new MoreMarkets(gamma, onProblem)
  }

  /** The markets of the plan that should be followed now; throws when nothing at all could be fetched. */
  async discover(plan: CategoryPlan, nowMs: number, signal: AbortSignal): Promise<Listing> {
    const differences = new Tallies()
    const lists: EventList[] = []
    const failures: unknown[] = []
    const attempt = async (fetch: () => Promise<EventList>): Promise<EventList | undefined> => {
      try {
        const list = await fetch()
        lists.push(list)
        return list
      } catch (error) {
        signal.throwIfAborted()
        failures.push(error)
        return undefined
      }
    }
    for (const list of await plannedLists(this.#gamma, plan.category, nowMs, signal))
      await attempt(() => this.#eventsOf(list, nowMs, signal))
    if (plan.category === 'sports') {
      const games = lists.flatMap(({ events }) => events)
      await attempt(() => this.#moreMarkets.of(games, nowMs, signal))
    }
    if (plan.category === 'crypto') {
      const looked = await attempt(() => this.#windows.look(nowMs, signal))
      if (looked !== undefined) this.#compare(looked, plan, nowMs, differences)
    }
    if (lists.length === 0) throw failures[0]
    for (const error of failures)
      this.#onProblem(`a list failed: ${error instanceof Error ? error.message : 'unknown'}`)
    const skipped = new Tallies()
    const markets = await this.#marketsIn(lists, plan, nowMs, skipped)
    return {
      markets,
      isPartial: failures.length > 0 || lists.some(({ isPartial }) => isPartial),
      skipped: skipped.list(),
      differences: differences.list(),
    }
  }

  async #eventsOf(list: PlannedList, nowMs: number, signal: AbortSignal): Promise<EventList> {
    const last = this.#lists.get(list.name)
    if (last !== undefined && list.everyMs > 0 && nowMs - last.atMs < list.everyMs) return withoutEnded(last, nowMs)
    const fetched =
      list.search === undefined
        ? await listEvents(this.#gamma, list.query ?? {}, signal, this.#onProblem)
        : await searchEvents(this.#gamma, list.search, signal, this.#onProblem)
    if (list.everyMs > 0) this.#lists.set(list.name, { ...fetched, atMs: nowMs })
    return fetched
  }

  /** Each market of these events once, as the newest list shows it. */
  async #marketsIn(
    lists: readonly EventList[],
    plan: CategoryPlan,
    nowMs: number,
    skipped: Tallies,
  ): Promise<Market[]> {
    const events = new Map(lists.flatMap((list) => list.events.map((event) => [event.id, event])))
    const markets = new Map<string, Market>()
    for (const event of events.values()) {
      // Parsing hundreds of events at once would delay the sampling of books in this process.
      await yieldToEventLoop()
      for (const element of event.markets) {
        const parsed = GammaMarketSchema.safeParse(element)
        if (!parsed.success)
          this.#onProblem(`invalid market in the catalogue: ${parsed.error.issues[0]?.path.join('.') ?? ''}`)
        const read = parsed.success ? readMarket(event, parsed.data, plan) : 'invalid'
        if (typeof read === 'string') skipped.add(read, parsed.data?.slug ?? event.slug)
        else if (isDue(read, nowMs)) markets.set(read.id, read)
      }
    }
    return [...markets.values()]
  }

  /** Compares the windows that were found by their slugs with those that the venue lists. */
  #compare(looked: EventList, plan: CategoryPlan, nowMs: number, differences: Tallies): void {
    for (const slug of this.#windows.missing) differences.add('window_not_found', slug)
    const listed = this.#lists.get(WINDOW_LIST.name)
    if (listed === undefined || listed.isPartial || looked.isPartial) return
    const foundIds = new Set(looked.events.map(({ id }) => id))
    const listedIds = new Set(listed.events.map(({ id }) => id))
    for (const event of listed.events) {
      const isOpen = (event.endDate ?? 0) > nowMs
      if (isOpen && !foundIds.has(event.id) && isDueWindow(event, plan, nowMs))
        differences.add('only_listed', event.slug)
    }
    for (const { id, slug, endDate } of looked.events) {
      const isInBounds = (endDate ?? 0) > nowMs && (endDate ?? 0) <= listed.atMs + WINDOW_LIST.aheadMs
      if (isInBounds && !listedIds.has(id)) differences.add('only_computed', slug)
    }
  }
}

function isDueWindow(event: GammaEvent, plan: CategoryPlan, nowMs: number): boolean {
  return event.markets.some((element) => {
    const { data } = GammaMarketSchema.safeParse(element)
    const read = data === undefined ? 'invalid' : readMarket(event, data, plan)
    return typeof read !== 'string' && isDue(read, nowMs)
  })
}

/** A list of some minutes ago does not show which windows have ended since; their own lists do. */
function withoutEnded({ events, isPartial }: EventList, nowMs: number): EventList {
  const hasEnded = ({ tags, endDate }: GammaEvent): boolean =>
    tags?.some(({ slug }) => slug === 'up-or-down') === true && (endDate ?? 0) < nowMs
  return { events: events.filter((event) => !hasEnded(event)), isPartial }
}

/** Windows are created a day ahead and have no trades until shortly before they start; other markets are followed at once. */
function isDue({ category, timeframe, startsAtMs, endsAtMs }: Market, nowMs: number): boolean {
  if (endsAtMs < nowMs - LATE_EVENT_MS) return false
  if (category !== 'crypto' || timeframe === 'hit-price' || startsAtMs === undefined) return true
  return nowMs >= startsAtMs - leadMs(endsAtMs - startsAtMs)
}

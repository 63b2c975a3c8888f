import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Market } from '../../domain/market.ts'
import type { CategoryPlan } from '../../domain/plan.ts'
import type { VenueHttp } from '../venue-http.ts'
import { type GammaEvent, GammaMarketSchema } from './gamma.ts'
import { listEvents, searchEvents } from './list-events.ts'
import { listedMarket } from './listed-market.ts'
import { LATE_EVENT_MS, leadMs, type PlannedList, plannedLists } from './plan-queries.ts'

/** A market is forgotten after this many lists without it; a single list can miss entries between pages. */
const LISTS_BEFORE_FORGOTTEN = 3

interface Known {
  market: Market
  missedLists: number
}

interface Listing {
  atMs: number
  events: readonly GammaEvent[]
}

/** Lists the markets of each plan. It keeps earlier lists, because the venue's are slow, long and not always complete. */
export class Discovery {
  readonly #gamma: VenueHttp
  readonly #onProblem: (reason: string) => void
  readonly #lists = new Map<string, Listing>()
  readonly #known = new Map<string, Map<string, Known>>()

  constructor(gamma: VenueHttp, onProblem: (reason: string) => void) {
    this.#gamma = gamma
    this.#onProblem = onProblem
  }

  /** The markets of the plan that should be followed now; throws when a list can't be fetched. */
  async discover(plan: CategoryPlan, nowMs: number, signal: AbortSignal): Promise<Market[]> {
    const events = new Map<string, GammaEvent>()
    const remembered = new Map<string, GammaEvent>()
    for (const list of await plannedLists(this.#gamma, plan.category, nowMs, signal)) {
      const { atMs, events: found } = await this.#eventsOf(list, nowMs, signal)
      for (const event of found) (atMs === nowMs ? events : remembered).set(event.id, event)
    }
    const known = this.#known.get(plan.id) ?? new Map<string, Known>()
    this.#known.set(plan.id, known)
    for (const [id, each] of known) if (++each.missedLists >= LISTS_BEFORE_FORGOTTEN) known.delete(id)
    for (const event of remembered.values()) if (!hasEndedSince(event, nowMs)) await this.#note(event, plan, known)
    for (const event of events.values()) await this.#note(event, plan, known)
    return [...known.values()].map(({ market }) => market).filter((market) => isDue(market, nowMs))
  }

  async #eventsOf(list: PlannedList, nowMs: number, signal: AbortSignal): Promise<Listing> {
    const last = this.#lists.get(list.name)
    if (last !== undefined && list.everyMs > 0 && nowMs - last.atMs < list.everyMs) return last
    const events =
      list.search === undefined
        ? await listEvents(this.#gamma, list.query ?? {}, signal, this.#onProblem)
        : await searchEvents(this.#gamma, list.search, signal, this.#onProblem)
    const listing = { atMs: nowMs, events }
    if (list.everyMs > 0) this.#lists.set(list.name, listing)
    return listing
  }

  async #note(event: GammaEvent, plan: CategoryPlan, known: Map<string, Known>): Promise<void> {
    // Parsing hundreds of events at once would delay the sampling of books in this process.
    await yieldToEventLoop()
    for (const element of event.markets) {
      const parsed = GammaMarketSchema.safeParse(element)
      if (!parsed.success) {
        this.#onProblem(`invalid market in the catalogue: ${parsed.error.issues[0]?.path.join('.') ?? ''}`)
        continue
      }
      const market = listedMarket(event, parsed.data, plan)
      if (market !== undefined) known.set(market.id, { market, missedLists: 0 })
      else if (parsed.data.closed === true) known.delete(parsed.data.conditionId.padEnd(66, '0'))
    }
  }
}

/** A list of some minutes ago does not show which windows have ended since; the quick lists do. */
function hasEndedSince({ tags, endDate }: GammaEvent, nowMs: number): boolean {
  return tags?.some(({ slug }) => slug === 'up-or-down') === true && (endDate ?? 0) < nowMs
}

/** Windows are created a day ahead and have no trades until shortly before they start; other markets are followed at once. */
function isDue({ category, timeframe, startsAtMs, endsAtMs }: Market, nowMs: number): boolean {
  if (endsAtMs < nowMs - LATE_EVENT_MS) return false
  if (category !== 'crypto' || timeframe === 'hit-price' || startsAtMs === undefined) return true
  return nowMs >= startsAtMs - leadMs(endsAtMs - startsAtMs)
}

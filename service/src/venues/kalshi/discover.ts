import type { Market } from '../../domain/market.ts'
import type { CategoryPlan } from '../../domain/plan.ts'
import { Tallies } from '../tally.ts'
import type { Listing } from '../venue.ts'
import { listMarkets, type MarketList, type OnProblem } from './list-markets.ts'
import { readMarket } from './listed-market.ts'
import type { PacedHttp } from './paced-http.ts'
import { type Series, seriesOf } from './series.ts'

/** A window is followed from this long before it opens. */
const LEAD_MS = 15 * 60_000
/** Only windows are listed in every round; the events of other series change by the hour at most. */
const SLOW_LIST_EVERY_MS = 60_000
const MOST_PER_SERIES = 600
const MOST_PER_EVENT = 200

interface KeptList extends MarketList {
  atMs: number
}

/** Lists the markets of each plan by their series. What it could not read makes the listing partial. */
export class Discovery {
  readonly #http: PacedHttp
  readonly #onProblem: OnProblem
  readonly #kept = new Map<string, KeptList>()

  constructor(http: PacedHttp, onProblem: OnProblem) {
    this.#http = http
    this.#onProblem = onProblem
  }

  /** The markets of the plan that should be followed now; throws when no series at all could be read. */
  async discover(plan: CategoryPlan, nowMs: number, signal: AbortSignal): Promise<Listing> {
    const markets: Market[] = []
    const skipped = new Tallies()
    const failures: unknown[] = []
    let isPartial = false
    const followed = seriesOf(plan.category)
    for (const series of followed) {
      try {
        const list = await this.#marketsOf(series, nowMs, signal)
        markets.push(...chosenFrom(list, series, plan, nowMs, skipped))
        isPartial ||= list.isPartial
      } catch (error) {
        signal.throwIfAborted()
        failures.push(error)
        this.#onProblem(`listing a series failed: ${error instanceof Error ? error.message : 'unknown'}`)
      }
    }
    if (failures.length === followed.length && failures.length > 0) throw failures[0]
    return { markets, isPartial: isPartial || failures.length > 0, skipped: skipped.list(), differences: [] }
  }

  async #marketsOf(series: Series, nowMs: number, signal: AbortSignal): Promise<MarketList> {
    if (series.isWindow) {
      const open = await this.#list(series, 'open', signal)
      return joined(open, await this.#list(series, 'unopened', signal))
    }
    const kept = this.#kept.get(series.ticker)
    if (kept !== undefined && !kept.isPartial && nowMs - kept.atMs < SLOW_LIST_EVERY_MS) return kept
    const list = await this.#list(series, 'open', signal)
    this.#kept.set(series.ticker, { ...list, atMs: nowMs })
    return list
  }

  #list({ ticker }: Series, status: 'open' | 'unopened', signal: AbortSignal): Promise<MarketList> {
    const filter = { series_ticker: ticker, status, mve_filter: 'exclude' }
    return listMarkets(this.#http, filter, signal, this.#onProblem)
  }
}

function joined(one: MarketList, other: MarketList): MarketList {
  return {
    markets: [...one.markets, ...other.markets],
    invalid: [...one.invalid, ...other.invalid],
    isPartial: one.isPartial || other.isPartial,
  }
}

/** The markets of a series that end first, up to the limits: a choice by volume would change with every list. */
function chosenFrom(list: MarketList, series: Series, plan: CategoryPlan, nowMs: number, skipped: Tallies): Market[] {
  for (const name of list.invalid) skipped.add('invalid', name)
  const due = new Map<string, Market>()
  for (const listed of list.markets) {
    const read = readMarket(listed, series, plan)
    if (typeof read === 'string') skipped.add(read, listed.ticker)
    else if (isDue(read, nowMs)) due.set(read.id, read)
  }
  const chosen: Market[] = []
  const countOf = new Map<string, number>()
  for (const market of [...due.values()].sort(byEnd)) {
    const count = countOf.get(market.eventSlug) ?? 0
    if (chosen.length >= MOST_PER_SERIES || count >= MOST_PER_EVENT) {
      skipped.add('too_many', market.slug)
      continue
    }
    countOf.set(market.eventSlug, count + 1)
    chosen.push(market)
  }
  return chosen
}

function byEnd(one: Market, other: Market): number {
  return one.endsAtMs - other.endsAtMs || (one.slug < other.slug ? -1 : 1)
}

function isDue({ startsAtMs, endsAtMs }: Market, nowMs: number): boolean {
  return endsAtMs > nowMs && (startsAtMs ?? nowMs) - nowMs <= LEAD_MS
}

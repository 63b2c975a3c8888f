import { CATEGORIES, type Market } from '../../domain/market.ts'
import type { GammaEvent } from '../../venues/polymarket/gamma.ts'
import { listEvents, readPage, searchEvents } from '../../venues/polymarket/list-events.ts'
import { MoreMarkets } from '../../venues/polymarket/more-markets.ts'
import { type PlannedList, plannedLists } from '../../venues/polymarket/plan-queries.ts'
import { serverTimeMs } from '../../venues/server-time.ts'
import { seconds } from '../field.ts'
import type { Check } from './check.ts'
import { marketsOf, noteFilters, noteMarkets, planOf } from './windows.ts'

/** The `Date` header is exact to a second. */
const MOST_CLOCK_DIFFERENCE_MS = 2_000
const SMALL_PAGE = 3

/** Reads every list by which the recorder finds markets; returns the markets. */
export async function checkLists(check: Check): Promise<Market[]> {
  const markets: Market[] = []
  await checkPages(check)
  for (const category of CATEGORIES) {
    if (check.run.signal.aborted) return markets
    const plan = planOf(category)
    const events = await eventsOf(check, category)
    noteMarkets(check, events, plan)
    markets.push(...marketsOf(events, plan))
    if (category === 'sports') await checkMoreMarkets(check, events)
  }
  return markets
}

async function eventsOf(check: Check, category: Market['category']): Promise<GammaEvent[]> {
  const { gamma, run, ledger } = check
  const lists = await plannedLists(gamma, category, Date.now(), run.signal)
  if (category === 'sports') ledger.observe('sports-series', lists.length > 0, 'no recorded league has a series')
  const found: GammaEvent[] = []
  for (const list of lists) {
    const events = await readList(check, list)
    found.push(...events)
    // A league has no games between two seasons.
    if (category !== 'sports') ledger.observe('lists-filled', events.length > 0, `the list ${list.name} is empty`)
    if (list.query !== undefined) noteFilters(check, events, list.query)
  }
  return found
}

async function readList({ gamma, run }: Check, { query, search }: PlannedList): Promise<readonly GammaEvent[]> {
  const read =
    search === undefined
      ? await listEvents(gamma, query ?? {}, run.signal, () => {})
      : await searchEvents(gamma, search, run.signal, () => {})
  return read.events
}

async function checkPages({ gamma, run, ledger }: Check): Promise<void> {
  const path = `/events/keyset?closed=false&limit=${SMALL_PAGE}`
  const first = await readPage(gamma, path, run.signal)
  if (!first.next_cursor) return
  const next = await readPage(gamma, `${path}&after_cursor=${encodeURIComponent(first.next_cursor)}`, run.signal)
  const firstIds = new Set(first.events.map(idOf))
  const isNext = next.events.length > 0 && next.events.every((event) => !firstIds.has(idOf(event)))
  ledger.observe('list-pages', isNext, `first ${[...firstIds].join(' ')}, next ${next.events.map(idOf).join(' ')}`)
}

function idOf(event: unknown): string {
  return String((event as { id?: unknown } | null)?.id)
}

async function checkMoreMarkets({ gamma, run, ledger }: Check, games: readonly GammaEvent[]): Promise<void> {
  const problems: string[] = []
  const siblings = new MoreMarkets(gamma, (problem) => problems.push(problem))
  const { events } = await siblings.of(games, Date.now(), run.signal)
  ledger.note('more-markets', `${games.length} games are listed`)
  for (const { slug, markets } of events)
    ledger.observe('more-markets', slug.endsWith('-more-markets') && markets.length > 0, `${slug} was found`)
  for (const problem of problems) ledger.observe('more-markets', false, problem)
}

export async function checkClock({ clobUrl, ledger }: Check): Promise<void> {
  const beforeMs = Date.now()
  const serverMs = await serverTimeMs(`${clobUrl}/time`)
  if (serverMs === undefined) return
  // The header cuts the fraction of the second.
  const aheadMs = (beforeMs + Date.now()) / 2 - (serverMs + 500)
  ledger.observe('clock', Math.abs(aheadMs) < MOST_CLOCK_DIFFERENCE_MS, `this machine is ahead by ${seconds(aheadMs)}`)
  ledger.note('clock', `this machine is ahead by ${seconds(aheadMs)}, measured to half a second`)
}

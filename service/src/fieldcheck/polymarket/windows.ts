import type { Market } from '../../domain/market.ts'
import { CATEGORY_PLANS, type CategoryPlan } from '../../domain/plan.ts'
import { type ExpectedWindow, expectedWindows } from '../../venues/polymarket/crypto-windows.ts'
import { type GammaEvent, GammaMarketSchema } from '../../venues/polymarket/gamma.ts'
import { fetchEvent, listEvents, type Query } from '../../venues/polymarket/list-events.ts'
import { readMarket, type SkipReason } from '../../venues/polymarket/listed-market.ts'
import { plannedLists, WINDOW_LIST } from '../../venues/polymarket/plan-queries.ts'
import type { Check } from './check.ts'

const UNREADABLE: ReadonlySet<SkipReason> = new Set([
  'invalid',
  'unknown_version',
  'no_tokens',
  'not_two_outcomes',
  'no_end',
])
const WINDOW_LENGTHS: ReadonlySet<string> = new Set(['5m', '15m', '1h', '4h', '1d'])
const BUSIEST = ['5m', '15m', '1h', '4h', '1d']
/** Series of all lengths; with fewer of them, none may happen to be wrong. */
const LEAST_SERIES = 12

/** Reads the listed windows, and looks the open ones up by their computed slugs. Returns the open ones, busiest first. */
export async function findOpenWindows(check: Check): Promise<{ open: Market[]; later: Market[] }> {
  const { gamma, run, ledger } = check
  const nowMs = Date.now()
  const lists = await plannedLists(gamma, 'crypto', nowMs, run.signal)
  const query = lists.find(({ name }) => name === WINDOW_LIST.name)?.query ?? {}
  const { events } = await listEvents(gamma, query, run.signal, () => {})
  noteFilters(check, events, query)
  noteRecurrences(check, events)
  const windows = marketsOf(events, planOf('crypto')).filter(isWindow)
  const open = windows.filter(({ startsAtMs = nowMs, endsAtMs }) => startsAtMs <= nowMs && endsAtMs > nowMs)
  await lookUp(check, open, nowMs)
  const computed = expectedWindows(nowMs).filter(({ startMs }) => startMs <= nowMs)
  ledger.note('window-slugs', `${open.length} listed as open, ${computed.length} computed`)
  const later = windows.filter((market) => !open.includes(market) && market.endsAtMs > nowMs)
  return { open: open.toSorted((one, other) => rankOf(one) - rankOf(other)), later }
}

function rankOf({ timeframe, subcategory }: Market): number {
  const coin = ['BTC', 'ETH', 'SOL'].indexOf(subcategory)
  return (coin < 0 ? 3 : coin) * BUSIEST.length + BUSIEST.indexOf(timeframe)
}

async function lookUp({ gamma, run, ledger }: Check, open: readonly Market[], nowMs: number): Promise<void> {
  const windows = expectedWindows(nowMs)
  for (const { eventSlug } of open) {
    const window = windows.find(({ slugs }) => slugs.includes(eventSlug))
    const found = window === undefined ? undefined : await firstFound(window, gamma, run.signal)
    const isFound = found?.slug === eventSlug
    ledger.observe('window-slugs', isFound, isFound ? eventSlug : `${eventSlug} is listed, and its slug finds nothing`)
  }
}

async function firstFound(
  { slugs }: ExpectedWindow,
  gamma: Check['gamma'],
  signal: AbortSignal,
): Promise<GammaEvent | undefined> {
  for (const slug of slugs) {
    const event = await fetchEvent(gamma, slug, signal, () => {})
    if (event !== undefined) return event
  }
  return undefined
}

/** Whether the events are those that the query asks for. */
export function noteFilters({ ledger }: Check, events: readonly GammaEvent[], query: Query): void {
  const [fromMs, toMs] = [Date.parse(query.end_date_min ?? ''), Date.parse(query.end_date_max ?? '')]
  for (const { slug, endDate, tags, markets } of events) {
    const endMs = endDate ?? Number.NaN
    const isClosed = markets.length > 0 && markets.every((each) => (each as { closed?: unknown }).closed === true)
    const isTagged = query.tag_id === undefined || tags?.some(({ id }) => id === query.tag_id) !== false
    ledger.observe(
      'list-filters',
      isTagged && !isClosed && !(endMs < fromMs) && !(endMs > toMs),
      `${slug} ends ${endDate ? new Date(endDate).toISOString() : 'never'}, asked with ${JSON.stringify(query)}`,
    )
  }
}

function noteRecurrences({ ledger }: Check, events: readonly GammaEvent[]): void {
  const plan = planOf('crypto')
  const series = new Map<string, { recurrence: string; length: string }>()
  for (const event of events) {
    const [market] = marketsOf([event], plan)
    const [facts] = event.series ?? []
    if (market === undefined || facts === undefined || !isWindow(market)) continue
    series.set(facts.slug, { recurrence: facts.recurrence ?? '', length: market.timeframe })
  }
  const wrong = [...series].filter(([, { recurrence, length }]) => recurrence === 'daily' && length !== '1d')
  ledger.note('recurrence', `${wrong.length} of ${series.size} series say daily and are not`)
  if (wrong.length > 0 || series.size >= LEAST_SERIES)
    ledger.observe('recurrence', wrong.length > 0, wrong.map(([slug]) => slug).join(', '))
}

function isWindow({ timeframe }: Market): boolean {
  return WINDOW_LENGTHS.has(timeframe)
}

export function planOf(category: CategoryPlan['category']): CategoryPlan {
  const plan = CATEGORY_PLANS.find((each) => each.category === category)
  if (plan === undefined) throw new Error(`no plan records ${category}`)
  return plan
}

/** The markets that the recorder would follow. */
export function marketsOf(events: readonly GammaEvent[], plan: CategoryPlan): Market[] {
  return events.flatMap((event) =>
    event.markets.flatMap((element) => {
      const { data } = GammaMarketSchema.safeParse(element)
      const market = data === undefined ? 'invalid' : readMarket(event, data, plan)
      return typeof market === 'string' ? [] : [market]
    }),
  )
}

/** Whether the listed markets have the form that the recorder reads. */
export function noteMarkets({ ledger }: Check, events: readonly GammaEvent[], plan: CategoryPlan): void {
  for (const event of events)
    for (const element of event.markets) {
      const { data } = GammaMarketSchema.safeParse(element)
      const read = data === undefined ? 'invalid' : readMarket(event, data, plan)
      const isReadable = typeof read !== 'string' || !UNREADABLE.has(read)
      const problem = `${typeof read === 'string' ? read : 'readable'}: ${JSON.stringify(element)}`
      ledger.observe('listed-markets', isReadable, isReadable ? undefined : problem)
    }
}

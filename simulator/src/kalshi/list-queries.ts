import type { KalshiMarket, Status } from './kalshi-market.ts'

/** Raw query parameters; a repeated one is an array. */
export type Query = Record<string, string | string[] | undefined>

export class BadQuery extends Error {}

/** Status as a filter; the statuses that the venue returns are no filters. */
const STATUS_FILTERS: Readonly<Record<string, readonly Status[]>> = {
  unopened: ['initialized'],
  open: ['active'],
  paused: ['inactive'],
  closed: ['closed', 'determined'],
  settled: ['finalized'],
}

/** Times by which markets can be filtered, and the statuses that each goes with. */
const TIME_FILTERS: Readonly<
  Record<string, { with: readonly string[]; timeOf: (market: KalshiMarket) => number | undefined }>
> = {
  created: { with: ['unopened', 'open'], timeOf: ({ event }) => event.createdMs },
  close: { with: ['closed'], timeOf: ({ closeMs }) => closeMs },
  settled: { with: ['settled'], timeOf: ({ settledAtMs }) => settledAtMs },
}

export function textIn(query: Query, name: string): string | undefined {
  const value = query[name]
  const text = Array.isArray(value) ? value[0] : value
  return text === '' ? undefined : text
}

export function valuesIn(query: Query, name: string): string[] {
  const value = query[name]
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}

export function numberIn(
  query: Query,
  name: string,
  { least = 0, most = Number.MAX_SAFE_INTEGER } = {},
): number | undefined {
  const text = textIn(query, name)
  if (text === undefined) return undefined
  const number = Number(text)
  if (!Number.isInteger(number) || number < least || number > most)
    throw new BadQuery(`${name} must be a whole number between ${least} and ${most}, got ${text}`)
  return number
}

/** Whether a market has the status that the query asks for. */
export function statusFilter(query: Query): (market: KalshiMarket) => boolean {
  const status = textIn(query, 'status')
  if (status === undefined) return () => true
  const statuses = STATUS_FILTERS[status]
  if (statuses === undefined)
    throw new BadQuery(`status must be one of ${Object.keys(STATUS_FILTERS).join(', ')}, got ${status}`)
  return (market) => statuses.includes(market.status)
}

/** Only one of the times can be used, and only with some statuses. */
export function timeFilter(query: Query): (market: KalshiMarket) => boolean {
  const used = Object.entries(TIME_FILTERS).flatMap(([name, filter]) => {
    const [min, max] = [numberIn(query, `min_${name}_ts`), numberIn(query, `max_${name}_ts`)]
    return min === undefined && max === undefined ? [] : [{ name, filter, min, max }]
  })
  const [first] = used
  if (first === undefined) return () => true
  if (used.length > 1) throw new BadQuery(`time filters exclude each other: ${used.map(({ name }) => name).join(', ')}`)
  const { name, filter, min = 0, max = Number.POSITIVE_INFINITY } = first
  const status = textIn(query, 'status')
  if (status !== undefined && !filter.with.includes(status))
    throw new BadQuery(`min_${name}_ts and max_${name}_ts do not go with status ${status}`)
  return (market) => {
    const atMs = filter.timeOf(market)
    return atMs !== undefined && atMs >= min * 1000 && atMs <= max * 1000
  }
}

export function comboFilter(query: Query): (market: KalshiMarket) => boolean {
  const wanted = textIn(query, 'mve_filter')
  if (wanted === undefined) return () => true
  if (wanted !== 'exclude' && wanted !== 'only') throw new BadQuery(`mve_filter must be exclude or only, got ${wanted}`)
  return ({ event }) => (event.series.isCombo === true) === (wanted === 'only')
}

/** One page of a list; the cursor of the last page is empty. */
export function pageOf<Item>(
  items: readonly Item[],
  query: Query,
  keyOf: (item: Item) => string,
  limits: { usual: number; most: number },
): { page: Item[]; cursor: string } {
  const limit = numberIn(query, 'limit', { least: 1, most: limits.most }) ?? limits.usual
  const cursor = textIn(query, 'cursor')
  const before = cursor === undefined ? -1 : items.findIndex((item) => cursorOf(keyOf(item)) === cursor)
  if (cursor !== undefined && before < 0) throw new BadQuery('invalid cursor')
  const page = items.slice(before + 1, before + 1 + limit)
  const last = page.at(-1)
  const isLast = last === undefined || before + 1 + limit >= items.length
  return { page, cursor: isLast ? '' : cursorOf(keyOf(last)) }
}

function cursorOf(key: string): string {
  return Buffer.from(key).toString('base64url')
}

import type { Usage } from '@bookreel/sdk'
import type { UsageSearch } from './usage-search.ts'

type Row = Usage['usage'][number]
type Group = NonNullable<UsageSearch['by']>
type Figure = NonNullable<UsageSearch['of']>

export interface UsageSeries {
  readonly id: string
  readonly name: string
  /** One value for each day. */
  readonly values: readonly number[]
  readonly total: number
}

/** As many as there are colours that can be told apart; the smallest are added up. */
const MAX_SERIES = 8
const OTHERS = 'others'
const DAY_MS = 86_400_000

export function daysOf({ from, to }: Pick<Usage, 'from' | 'to'>): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10),
  )
}

/** What a row is added to. Two keys may have the same label. */
export function groupId(row: Row, group: Group): string {
  return (group === 'endpoint' ? row.endpoint : row.keyId) ?? ''
}

/** Names of the groups by their ids; labels that several keys have are told apart by the start of the id. */
export function groupNames({ usage }: Pick<Usage, 'usage'>, group: Group): ReadonlyMap<string, string> {
  const names = new Map(usage.map((row) => [groupId(row, group), groupName(row, group)]))
  const counts = Map.groupBy(names.values(), (name) => name)
  return new Map(
    [...names].map(([id, name]) => [id, (counts.get(name)?.length ?? 0) > 1 ? `${name} (${id.slice(0, 8)})` : name]),
  )
}

function groupName(row: Row, group: Group): string {
  if (group === 'endpoint') return row.endpoint ?? 'other charges'
  return row.keyLabel ?? row.keyId ?? 'without a key'
}

/** Largest first. */
export function seriesOf(usage: Usage, group: Group, figure: Figure): UsageSeries[] {
  const days = daysOf(usage)
  const place = new Map(days.map((day, index) => [day, index]))
  const sums = new Map<string, number[]>()
  for (const row of usage.usage) {
    const id = groupId(row, group)
    const values = sums.get(id) ?? days.map(() => 0)
    const index = place.get(row.day ?? '')
    // Refunds can make a day negative, which a bar cannot show.
    if (index !== undefined) values[index] = Math.max(0, (values[index] ?? 0) + row[figure])
    sums.set(id, values)
  }
  const names = groupNames(usage, group)
  const all = [...sums].map(([id, values]) => ({ id, name: names.get(id) ?? id, values, total: sum(values) }))
  const sorted = all.filter(({ total }) => total > 0).toSorted((one, other) => other.total - one.total)
  if (sorted.length <= MAX_SERIES) return sorted
  const rest = sorted.slice(MAX_SERIES - 1)
  const values = days.map((_, index) => sum(rest.map((each) => each.values[index] ?? 0)))
  return [...sorted.slice(0, MAX_SERIES - 1), { id: OTHERS, name: OTHERS, values, total: sum(values) }]
}

export interface Refusals {
  readonly code: string
  readonly count: number
}

/** Most frequent first. */
export function refusalsOf({ usage }: Pick<Usage, 'usage'>): Refusals[] {
  const counts = new Map<string, number>()
  for (const { refused } of usage) {
    for (const [code, count] of Object.entries(refused)) counts.set(code, (counts.get(code) ?? 0) + count)
  }
  return [...counts].map(([code, count]) => ({ code, count })).toSorted((one, other) => other.count - one.count)
}

const PACE_DAYS = 7

/** When the credits end at the pace of the last seven days; undefined when nothing was spent. */
export function creditsLastUntilMs(usage: Usage, creditsLeft: number, nowMs: number): number | undefined {
  const recent = daysOf(usage).slice(-PACE_DAYS)
  const spent = sum(usage.usage.filter(({ day }) => recent.includes(day ?? '')).map(({ credits }) => credits))
  return spent <= 0 ? undefined : nowMs + (creditsLeft / (spent / recent.length)) * DAY_MS
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

import { availableAtMs, HOUR_MS } from './finished-hour.ts'

export const DAY_MS = 24 * HOUR_MS
/** Slots without a row or a gap may still be inserted: ClickHouse may have been unavailable. */
export const HOLES_FILL_WITHIN_MS = 86_400_000
/** Rows may be stored late; a file that lacks some of them gets a new revision. */
export const RECOUNTED_FOR_MS = 48 * HOUR_MS
export const TOKENS = 2
export const ROWS_PER_CREDIT = 1_000

/** Timeframes whose markets follow each other, so that one file has all of them. */
const WINDOW_TIMEFRAMES: readonly string[] = ['5m', '15m', '1h', '4h', '1d']

/** A market that has rows on a day. */
export interface DayMarket {
  readonly marketId: string
  readonly venue: string
  readonly tokenIds: readonly [string, string]
  readonly category: string
  readonly timeframe: string
  /** Empty for other categories than crypto. */
  readonly coin: string
  readonly intervalMs: number
  /** The first and last slot with a row, from the day before to the day after. */
  readonly firstSlot: number
  readonly lastSlot: number
  /** Slots of the day with a row. */
  readonly storedSlots: number
}

/** What one file of a day contains: all windows of a series, or one other market. */
export interface FileSubject {
  /** Such as `polymarket-btc-5m`, or the id of the market. */
  readonly name: string
  readonly kind: 'series' | 'market'
  readonly venue: string
  readonly category: string
  readonly coin: string
  readonly timeframe: string
  /** Sorted by id. */
  readonly markets: readonly DayMarket[]
}

/** Gaps of a file by cause. */
export interface GapCount {
  readonly cause: string
  readonly kind: 'missing' | 'suspect'
  readonly gaps: number
  readonly slots: number
}

/** When the files of the day can be written. */
export function dayAvailableAtMs(dayMs: number): number {
  return availableAtMs(dayMs + DAY_MS - HOUR_MS)
}

/** 2027-01-31 */
export function dayText(dayMs: number): string {
  return new Date(dayMs).toISOString().slice(0, 10)
}

/** Id of a revision of a file, which is also its name without the extension. */
export function fileIdOf(name: string, dayMs: number, revision: number): string {
  return `${name}-${dayText(dayMs)}-r${revision}`
}

export function creditsOf(rows: number): number {
  return Math.ceil(rows / ROWS_PER_CREDIT)
}

/** The files that a day has, sorted by name. */
export function subjectsOf(markets: readonly DayMarket[]): FileSubject[] {
  const groups = Map.groupBy(markets, nameOf)
  return [...groups]
    .map(([name, members]): FileSubject => subjectOf(name, members))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function subjectOf(name: string, members: readonly DayMarket[]): FileSubject {
  const sorted = members.toSorted((one, other) => (one.marketId < other.marketId ? -1 : 1))
  const [first] = sorted
  if (first === undefined) throw new RangeError(`the file ${name} has no market`)
  const { venue, category, coin, timeframe } = first
  return { name, kind: isWindow(first) ? 'series' : 'market', venue, category, coin, timeframe, markets: sorted }
}

function isWindow({ coin, timeframe }: DayMarket): boolean {
  return coin !== '' && WINDOW_TIMEFRAMES.includes(timeframe)
}

function nameOf(market: DayMarket): string {
  const { venue, coin, timeframe, marketId } = market
  return isWindow(market) ? `${venue}-${coin.toLowerCase()}-${timeframe}` : marketId
}

import { availableAtMs, HOUR_MS } from './finished-hour.ts'

export const DAY_MS = 24 * HOUR_MS
/** Slots without a row or a gap may still be inserted: ClickHouse may have been unavailable. */
export const HOLES_FILL_WITHIN_MS = 86_400_000
/** Rows may be stored late; a file that lacks some of them gets a new revision. */
export const RECOUNTED_FOR_MS = 48 * HOUR_MS
export const TOKENS = 2

/** Timeframes whose markets follow each other, so that one file has all of them. */
const WINDOW_TIMEFRAMES: readonly string[] = ['5m', '15m', '1h', '4h', '1d']

/**
 * What a file contains: the books of all windows of a series, or of one other market; the trades of either; books,
 * trades or contexts of a perp; the prices of a coin from one source; the gap records of a venue.
 */
export const FILE_KINDS = [
  'series',
  'market',
  'trades',
  'perp_books',
  'perp_trades',
  'perp_contexts',
  'prices',
  'gaps',
] as const
export type FileKind = (typeof FILE_KINDS)[number]
/** Books of binary markets. */
export const BOOK_KINDS = ['series', 'market'] as const satisfies readonly FileKind[]
/** Grows with the list of kinds: a day that was finished with fewer of them lacks the others. */
export const KINDS_VERSION = 2

/** What the entry of a file says about its content. */
export interface FileFacts {
  /** Such as `polymarket-btc-5m`, or the id of the market. */
  readonly name: string
  readonly kind: FileKind
  /** The source of prices has the place of the venue. */
  readonly venue: string
  /** Empty for a file of gaps, which has every category. */
  readonly category: string
  /** Empty for other categories than crypto. */
  readonly coin: string
  /** Empty for other files than those of binary markets. */
  readonly timeframe: string
  /** Sorted; corrections of their hours change the file. */
  readonly marketIds: readonly string[]
}

/** A binary market as its listing tells it. */
export interface ListedMarket {
  readonly marketId: string
  readonly venue: string
  readonly tokenIds: readonly [string, string]
  readonly category: string
  readonly timeframe: string
  /** Empty for other categories than crypto. */
  readonly coin: string
}

/** What is stored of a market around a day. */
export interface MarketSpan {
  readonly marketId: string
  readonly intervalMs: number
  /** The first and last slot with a row, from the day before to the day after. */
  readonly firstSlot: number
  readonly lastSlot: number
  /** Slots of the day with a row. */
  readonly storedSlots: number
}

/** A market that has rows on a day. */
export type DayMarket = ListedMarket & MarketSpan

/** All windows of a series, or one other market. */
export interface MarketGroup<Member extends ListedMarket> extends Omit<ListedMarket, 'marketId' | 'tokenIds'> {
  readonly name: string
  readonly isSeries: boolean
  /** Sorted by id. */
  readonly markets: readonly Member[]
}

/** Gaps of a file by cause. */
export interface GapCount {
  readonly cause: string
  /** `trades`: trades may be missing, and the rows are there. */
  readonly kind: 'missing' | 'suspect' | 'trades'
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

/** Markets by the name of the file that has their books, sorted by name. */
export function groupsOf<Member extends ListedMarket>(markets: readonly Member[]): MarketGroup<Member>[] {
  const groups = Map.groupBy(markets, nameOf)
  return [...groups]
    .map(([name, members]): MarketGroup<Member> => groupOf(name, members))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function groupOf<Member extends ListedMarket>(name: string, members: readonly Member[]): MarketGroup<Member> {
  const sorted = members.toSorted((one, other) => (one.marketId < other.marketId ? -1 : 1))
  const [first] = sorted
  if (first === undefined) throw new RangeError(`the file ${name} has no market`)
  const { venue, category, coin, timeframe } = first
  return { name, isSeries: isSeries(first), venue, category, coin, timeframe, markets: sorted }
}

/** Whether all markets of this coin and timeframe share a file. */
export function isSeries({ coin, timeframe }: Pick<ListedMarket, 'coin' | 'timeframe'>): boolean {
  return coin !== '' && WINDOW_TIMEFRAMES.includes(timeframe)
}

function nameOf(market: ListedMarket): string {
  const { venue, coin, timeframe, marketId } = market
  return isSeries(market) ? `${venue}-${coin.toLowerCase()}-${timeframe}` : marketId
}

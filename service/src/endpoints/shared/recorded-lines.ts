import { hasWords } from '../../domain/searched-words.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import type { MarketFilter } from '../../stores/markets/markets.ts'
import {
  type MarketSeries,
  type Past,
  type PastChoice,
  type PastMarket,
  type PastPosition,
  pastMarketOf,
} from '../../stores/markets/past-markets.ts'
import type { RecordedList, RecordedMarket } from '../../stores/markets/recent-markets.ts'
import { DEFAULT_VENUE } from '../../venue-registry.ts'
import { roundedShare } from '../schemas/coverage.ts'
import type { Stores } from '../stores.ts'
import { readyCatalogue } from './find-market.ts'
import { isActive } from './market-flags.ts'

/** A recorded market as lists show it; texts are empty when only rows of it are known. */
export interface RecordedLine extends MarketSeries {
  readonly marketId: string
  readonly slug: string
  readonly question: string
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  readonly snapshotCount: number
  readonly share: number
  readonly isLive: boolean
  readonly endsAtMs: number
}

export interface LineChoice {
  readonly filter: MarketFilter
  readonly status?: 'live' | 'closed' | undefined
  /** Recorded at this time or later. */
  readonly sinceMs?: number | undefined
  readonly isComplete?: boolean
  /** In small letters. */
  readonly words?: readonly string[] | undefined
}

export interface LineTotals {
  readonly markets: number
  readonly snapshots: number
  readonly live: number
}

type LineStores = Pick<Stores, 'catalogue' | 'recentMarkets'>

const TOKENS = 2

/** Sorted once per list that is read. */
const sortedLines = new WeakMap<RecordedList, readonly RecordedLine[]>()
/** In small letters, as the words of a search are. */
const searchedTexts = new WeakMap<RecordedLine, string>()

/** All recorded markets, newest first: the recent ones are in memory, the past ones are sorted in ClickHouse. */
export class RecordedLines {
  readonly readAtMs: number
  readonly #recent: readonly RecordedLine[]
  readonly #past: Past | undefined
  readonly #pastReads: Stores['recentMarkets']['past']
  readonly #nowMs: number

  private constructor(stores: LineStores, list: RecordedList, nowMs: number) {
    this.readAtMs = list.readAtMs
    this.#recent = linesOf(stores, list, nowMs)
    this.#past = list.past
    this.#pastReads = stores.recentMarkets.past
    this.#nowMs = nowMs
  }

  /** As of at most `maxAgeMs` ago. */
  static async read(stores: LineStores, nowMs: number, maxAgeMs: number): Promise<RecordedLines> {
    const catalogue = readyCatalogue(stores)
    const list = await stores.recentMarkets.list({ nowMs, maxAgeMs, open: () => catalogue.ids })
    return new RecordedLines(stores, list, nowMs)
  }

  async totals({ status, ...choice }: LineChoice): Promise<LineTotals> {
    const recent = this.#recent.filter((line) => isChosen(line, choice))
    const live = totalOf(recent.filter(({ isLive }) => isLive))
    if (status === 'live') return { ...live, live: live.markets }
    const past = this.#pastOf(choice)
    const counted = past && (await this.#pastReads.total(past.list, past.choice, this.#nowMs))
    // An open market that is not recorded any more is counted there, too.
    const since = totalOf(recent.filter(({ lastSeenMs }) => lastSeenMs >= (past?.list.toMs ?? 0)))
    const markets = since.markets + (counted?.markets ?? 0)
    const snapshots = since.snapshots + (counted?.rows ?? 0) * TOKENS
    if (status === undefined) return { markets, snapshots, live: live.markets }
    return { markets: markets - live.markets, snapshots: snapshots - live.snapshots, live: 0 }
  }

  /** Whether a market was last recorded before this time. Words are not searched in the past: that may read all of it. */
  hasBefore(choice: LineChoice, ms: number): boolean {
    const whole = { ...choice, sinceMs: undefined }
    if (this.#recent.some((line) => line.lastSeenMs < ms && isChosen(line, whole))) return true
    const past = choice.words === undefined ? this.#pastOf(whole) : undefined
    return past !== undefined && this.#pastReads.counted(past.list, past.choice).markets > 0
  }

  /** From the first market behind a position, at most `size` at once. */
  async *pieces(choice: LineChoice, after: PastPosition | undefined, size: number): AsyncGenerator<RecordedLine[]> {
    const recent = this.#recent.filter(
      (line) => isChosen(line, choice) && (after === undefined || inOrder(line, after) > 0),
    )
    const past = this.#pastOf(choice)
    // Whatever was first recorded since then is newer than all of the past.
    let shown = past === undefined ? recent.length : placeIn(recent, (line) => line.firstSeenMs < past.list.toMs)
    yield* slicesOf(recent.slice(0, shown), size)
    if (past === undefined) return
    const isRecent = new Set(this.#recent.map(({ marketId }) => marketId))
    let last = after
    do {
      const page = (await this.#pastReads.page(past.list, past.choice, last, size)).map(lineOfPast)
      last = page.length < size ? undefined : page.at(-1)
      const end = last
      const until = end === undefined ? recent.length : placeIn(recent, (line) => inOrder(line, end) > 0)
      const others = page.filter(({ marketId }) => !isRecent.has(marketId))
      yield* slicesOf([...recent.slice(shown, until), ...others].sort(inOrder), size)
      shown = Math.max(shown, until)
    } while (last !== undefined)
  }

  /** Undefined when no past market can be among the chosen ones. */
  #pastOf({ filter, status, sinceMs, isComplete, words }: LineChoice): { list: Past; choice: PastChoice } | undefined {
    const list = this.#past
    if (list === undefined || status === 'live' || (sinceMs !== undefined && sinceMs >= list.toMs)) return undefined
    const series = list.counts.filter((each) => isOf(filter, each))
    if (series.length === 0) return undefined
    return { list, choice: { ...(series.length < list.counts.length && { series }), sinceMs, isComplete, words } }
  }
}

function linesOf(stores: LineStores, list: RecordedList, nowMs: number): readonly RecordedLine[] {
  const known = sortedLines.get(list)
  if (known !== undefined) return known
  const lines = list.markets.map((market) => lineOfRecent(market, stores.catalogue.byId(market.marketId, nowMs)))
  sortedLines.set(list, lines.sort(inOrder))
  return lines
}

/** The catalogue knows a changed listing before ClickHouse does. */
function lineOfRecent(market: RecordedMarket, open: ReturnType<Stores['catalogue']['byId']>): RecordedLine {
  const isLive = open !== undefined && isActive(open.status)
  return { ...lineOfPast(pastMarketOf(market, open ?? market.facts)), isLive }
}

function lineOfPast({ intervalMs, firstSlot, lastSlot, rowCount, endsAtMs, ...about }: PastMarket): RecordedLine {
  const lastSeenMs = slotTimeMs(lastSlot, intervalMs)
  return {
    ...about,
    firstSeenMs: slotTimeMs(firstSlot, intervalMs),
    lastSeenMs,
    snapshotCount: rowCount * TOKENS,
    share: roundedShare(rowCount, lastSlot - firstSlot + 1),
    isLive: false,
    endsAtMs: endsAtMs === 0 ? lastSeenMs : endsAtMs,
  }
}

function isChosen(line: RecordedLine, { filter, status, sinceMs, isComplete, words }: LineChoice): boolean {
  return (
    isOf(filter, line) &&
    (status === undefined || line.isLive === (status === 'live')) &&
    (sinceMs === undefined || line.lastSeenMs >= sinceMs) &&
    (!isComplete || line.share === 1) &&
    (words === undefined || hasWords(searchedText(line), words))
  )
}

function isOf(filter: MarketFilter, { venue, category, subcategory, timeframe }: MarketSeries): boolean {
  return (
    // The venue is unknown only where rows are older than stored listings; those rows are of the first venue.
    (filter.venue === undefined || (venue || DEFAULT_VENUE) === filter.venue) &&
    (filter.category === undefined || category === filter.category) &&
    (filter.categories === undefined || filter.categories.some((each) => each === category)) &&
    (filter.subcategory === undefined || subcategory === filter.subcategory) &&
    (filter.coin === undefined || (category === 'crypto' && subcategory === filter.coin)) &&
    (filter.timeframe === undefined || timeframe === filter.timeframe)
  )
}

function searchedText(line: RecordedLine): string {
  const text = searchedTexts.get(line) ?? `${line.question} ${line.slug} ${line.subcategory}`.toLowerCase()
  searchedTexts.set(line, text)
  return text
}

/** The first slot of a market never changes, so pages neither repeat nor skip a market while others are recorded. */
function inOrder(one: PastPosition, other: PastPosition): number {
  return (
    other.firstSeenMs - one.firstSeenMs || (one.marketId < other.marketId ? -1 : one.marketId > other.marketId ? 1 : 0)
  )
}

function placeIn(lines: readonly RecordedLine[], isBehind: (line: RecordedLine) => boolean): number {
  const place = lines.findIndex(isBehind)
  return place === -1 ? lines.length : place
}

function totalOf(lines: readonly RecordedLine[]) {
  return { markets: lines.length, snapshots: lines.reduce((sum, { snapshotCount }) => sum + snapshotCount, 0) }
}

function* slicesOf(lines: readonly RecordedLine[], size: number): Generator<RecordedLine[]> {
  for (let at = 0; at < lines.length; at += size) yield lines.slice(at, at + size)
}

import { BookreelError, type HourReport, type RestClient } from '@bookreel/sdk'
import type { Choice, Selection } from './downloads-search.ts'
import { type HeldFile, hourPath } from './held-files.ts'

/** The browser keeps a whole file in memory and asks for each; more are better fetched by the command. */
export const MAX_FILES = 50
const AT_ONCE = 4
const HOUR_MS = 3_600_000
/** A file that is free for less time may cost something by the time the service gets the request. */
const FREE_MARGIN_MS = 60_000

interface MarketHour {
  readonly market: string
  readonly hourMs: number
}

export interface PlannedFile extends MarketHour {
  readonly report: HourReport
  /** It was bought before and costs nothing until then. */
  readonly freeUntil: string | undefined
}

interface Refusal extends MarketHour {
  readonly error: BookreelError
}

/** What a download would bring, before anything is paid. */
export interface FilePlan {
  readonly files: readonly PlannedFile[]
  readonly refused: readonly Refusal[]
}

type Client = Pick<RestClient, 'markets' | 'history'>

/** Asks for every file what it has and costs; free of charge. */
export async function planFiles(
  client: Client,
  selection: Selection,
  held: readonly HeldFile[],
  signal: AbortSignal,
): Promise<FilePlan> {
  const hours = await wantedHours(client, inWholeHours(selection), signal)
  const untilOf = new Map(held.map(({ path, until }) => [path, until]))
  const files: PlannedFile[] = []
  const refused: Refusal[] = []
  const surveyOne = async ({ market, hourMs }: MarketHour): Promise<void> => {
    try {
      const report = await client.history.exportHourDryRun(market, { hour: hourMs }, { signal })
      const freeUntil = untilOf.get(hourPath(report.market_id, hourMs))
      if (report.rows > 0) files.push({ market, hourMs, report, freeUntil })
    } catch (error) {
      if (!(error instanceof BookreelError) || error.code !== 'hour_not_finished') throw error
      refused.push({ market, hourMs, error })
    }
  }
  await inParallel(hours, surveyOne)
  return { files: files.toSorted(inOrder), refused: refused.toSorted(inOrder) }
}

/** What a file costs when it is downloaded now. */
export function priceOf({ report, freeUntil }: Pick<PlannedFile, 'report' | 'freeUntil'>, nowMs: number): number {
  const isFree = freeUntil !== undefined && nowMs < Date.parse(freeUntil) - FREE_MARGIN_MS
  return isFree ? 0 : report.credits
}

async function wantedHours(client: Client, selection: Selection, signal: AbortSignal): Promise<MarketHour[]> {
  const { choice } = selection
  const found =
    choice.by === 'markets'
      ? rangesOfMarkets(client, choice.ids, selection, signal)
      : rangesOfListing(client, choice, selection, signal)
  const hours: MarketHour[] = []
  for await (const { market, fromMs, toMs } of found) {
    for (const hourMs of hoursBetween(fromMs, toMs)) hours.push({ market, hourMs })
  }
  return hours
}

interface RecordedRange {
  readonly market: string
  readonly fromMs: number
  readonly toMs: number
}

async function* rangesOfMarkets(
  client: Client,
  ids: readonly string[],
  { fromMs, toMs }: Selection,
  signal: AbortSignal,
): AsyncGenerator<RecordedRange> {
  for (const market of ids) {
    const { from, to } = await client.history.gaps(market, { from: fromMs, to: toMs, limit: 1 }, { signal })
    if (from !== null && to !== null) yield { market, fromMs: Date.parse(from), toMs: Date.parse(to) }
  }
}

async function* rangesOfListing(
  client: Client,
  choice: Exclude<Choice, { by: 'markets' }>,
  range: Selection,
  signal: AbortSignal,
): AsyncGenerator<RecordedRange> {
  const filter =
    choice.by === 'category' ? { category: choice.category } : { crypto: choice.coin, timeframe: choice.timeframe }
  for await (const entry of client.markets.allRecent(
    { ...filter, venue: choice.venue ?? 'all', since: range.fromMs },
    { signal },
  )) {
    const fromMs = Math.max(range.fromMs, Date.parse(entry.first_seen))
    const toMs = Math.min(range.toMs, Date.parse(entry.last_seen) + 1)
    if (fromMs < toMs) yield { market: entry.market_id, fromMs, toMs }
  }
}

/** As the estimate counts: an hour of which a part is chosen is downloaded as a whole. */
function inWholeHours(selection: Selection): Selection {
  const { fromMs, toMs } = selection
  return { ...selection, fromMs: Math.floor(fromMs / HOUR_MS) * HOUR_MS, toMs: Math.ceil(toMs / HOUR_MS) * HOUR_MS }
}

/** Starts of the hours that overlap the range. */
function hoursBetween(fromMs: number, toMs: number): number[] {
  const hours: number[] = []
  for (let hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS; hourMs < toMs; hourMs += HOUR_MS) hours.push(hourMs)
  return hours
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items]
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

function inOrder(one: MarketHour, other: MarketHour): number {
  return one.hourMs - other.hourMs || (one.market < other.market ? -1 : 1)
}

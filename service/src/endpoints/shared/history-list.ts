import { z } from 'zod'
import { wordsOf } from '../../domain/searched-words.ts'
import { forCaller } from '../../stores/engines/waiting-caller.ts'
import type { Answer, EmptyReason, EndpointRequest, StreamedAnswer, Table } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Flag, isConditionId, Moment, wholeNumber } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import type { Stores } from '../stores.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor } from './cursor.ts'
import { ResultsFlag, requireShortList, resultMembers, resultsOf } from './listed-results.ts'
import { marketFilters, wantedMarkets, withoutScope } from './market-filters.ts'
import { type LineChoice, type RecordedLine, RecordedLines } from './recorded-lines.ts'
import { historyFrom } from './requested-range.ts'

const LIST = 'market history'
const MAX_TEXT = 200
const MAX_PAGE = 5_000
/** Of a list without a limit. Other requests wait some milliseconds while a piece is rendered. */
const MARKETS_PER_READ = 5_000
const MARKETS_PER_PIECE = 1_000

export const HistoryQuery = z.object({
  ...marketFilters,
  q: z
    .string()
    .trim()
    .min(1)
    .max(MAX_TEXT)
    .optional()
    .describe('words; each begins a word of the question, slug or subcategory'),
  status: z.enum(['live', 'closed']).optional(),
  since: Moment.optional().describe('only markets that were recorded at this time or later'),
  complete: Flag.default(false).describe('true lists only markets without a missing slot, those with a `share` of 1'),
  limit: wholeNumber(1, MAX_PAGE).optional().describe('default: all of them'),
  cursor: Cursor.optional(),
  results: ResultsFlag,
})
type HistoryQuery = z.output<typeof HistoryQuery>

const HistoryEntry = z
  .object({
    crypto: z.string().describe('the coin; empty for other categories'),
    timeframe: z.string(),
    market_id: z.string(),
    category: z.string(),
    subcategory: z.string(),
    first_seen: Instant.describe('first slot recorded'),
    last_seen: Instant.describe('last slot recorded'),
    snapshot_count: z.string().describe('token snapshots, two per slot; an integer as text'),
    is_live: z.boolean().describe('the market has not ended'),
    end_date: Instant,
    question: z.string(),
    slug: z.string(),
    venue: VenueName,
    ...resultMembers,
    share: z
      .number()
      .describe('slots with a snapshot divided by all slots from the first to the last snapshot, rounded down'),
  })
  .meta({ id: 'HistoryEntry' })
type HistoryEntry = z.infer<typeof HistoryEntry>

export const HistoryReply = z
  .object({
    total_markets: z.int().describe('markets that match the filters, on all pages'),
    total_snapshots: z.int(),
    live_count: z.int(),
    closed_count: z.int(),
    next_cursor: NextCursor,
    empty_reason: z.string().optional(),
    markets: z.array(HistoryEntry).describe('newest market first'),
  })
  .meta({ id: 'MarketHistory' })
type HistoryReply = z.infer<typeof HistoryReply>

export const historyTable: Table<HistoryReply> = {
  columns: Object.keys(HistoryEntry.shape),
  rows: ({ markets }) => markets,
  inRows: ['markets'],
}

/** The first slot of a market never changes, so pages neither repeat nor skip a market while others are recorded. */
const Position = z.tuple([CursorTime, z.string().refine(isConditionId)])

type Request = EndpointRequest<unknown, HistoryQuery, unknown>
type Aside = NonNullable<Answer<never>['aside']>

/** A list whose markets are not read yet. */
interface Opened {
  /** At most `size` at once. */
  readonly pieces: (size: number) => AsyncGenerator<RecordedLine[]>
  readonly totals: Pick<HistoryReply, 'total_markets' | 'total_snapshots' | 'live_count' | 'closed_count'>
  readonly ageMs: number
  readonly aside: Aside
  /** When it has no market. */
  readonly emptyReason: EmptyReason
}

/** A page of recorded markets, from a list that is at most `maxAgeMs` old. */
export async function listHistory(request: Request, maxAgeMs: number) {
  const { query, stores, nowMs } = request
  requireShortList(query.results, query.limit)
  const { pieces, totals, emptyReason, ...about } = await open(request, maxAgeMs)
  const limit = query.limit ?? MAX_PAGE
  const found: RecordedLine[] = []
  for await (const piece of pieces(limit + 1)) {
    found.push(...piece)
    if (found.length > limit) break
  }
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const reason = page.length === 0 ? emptyReason : undefined
  return {
    body: {
      ...totals,
      next_cursor: last && found.length > limit ? encodeCursor(LIST, [last.firstSeenMs, last.marketId]) : null,
      ...(reason !== undefined && { empty_reason: reason }),
      markets: query.results ? await withResults(stores, page, nowMs) : page.map(entryOf),
    },
    ...about,
    emptyReason: reason,
  }
}

/** All markets of a list without a limit, which may be millions; undefined for a list with one. */
export async function streamHistory(
  request: Request,
  maxAgeMs: number,
): Promise<(StreamedAnswer & Pick<Opened, 'ageMs' | 'aside'>) | undefined> {
  const { query } = request
  if (query.limit !== undefined) return undefined
  requireShortList(query.results, query.limit)
  const { pieces, totals, emptyReason, ...about } = await open(request, maxAgeMs)
  const lines = pieces(MARKETS_PER_READ)
  const first = await lines.next()
  const reason = first.done === true ? emptyReason : undefined
  return {
    envelope: { ...totals, next_cursor: null, ...(reason !== undefined && { empty_reason: reason }) },
    rowsMember: 'markets',
    rowCount: query.cursor === undefined ? totals.total_markets : undefined,
    async *rows(signal) {
      for (let read = first; read.done !== true; read = await forCaller({ signal }, () => lines.next()))
        for (let at = 0; at < read.value.length; at += MARKETS_PER_PIECE)
          yield read.value.slice(at, at + MARKETS_PER_PIECE).map(entryOf)
    },
    ...about,
    emptyReason: reason,
  }
}

async function open(request: Request, maxAgeMs: number): Promise<Opened> {
  const { query, stores, nowMs, require } = request
  const { filter, leftOut, aside } = wantedMarkets(request)
  if (query.since !== undefined) require({ historyAgeMs: nowMs - Math.min(query.since, nowMs) })
  const position = decodeCursor(query.cursor, LIST, Position)
  const after = position && { firstSeenMs: position[0], marketId: position[1] }
  const lines = await RecordedLines.read(stores, nowMs, maxAgeMs)
  const about = { ageMs: nowMs - lines.readAtMs, aside: { ...aside, status: query.status, limit: query.limit } }
  if (filter === undefined) return { pieces: nothing, totals: totalsOf(), ...about, emptyReason: 'no_match' }
  const fromMs = query.since === undefined ? historyFrom(request) : undefined
  const choice: LineChoice = {
    filter,
    status: query.status,
    sinceMs: query.since ?? fromMs,
    isComplete: query.complete,
    words: query.q === undefined ? undefined : wordsOf(query.q),
  }
  const isCut = fromMs !== undefined && lines.hasBefore(choice, fromMs)
  const totals = totalsOf(await lines.totals(choice))
  const isHidden = () => leftOut.length > 0 && lines.hasBefore({ ...choice, filter: withoutScope(filter) }, nowMs)
  return {
    pieces: (size) => lines.pieces(choice, after, size),
    totals,
    ...about,
    aside: { ...about.aside, historyFrom: isCut ? instantOf(fromMs) : undefined },
    emptyReason: totals.total_markets === 0 && (isCut || isHidden()) ? 'tier' : 'no_match',
  }
}

async function* nothing(): AsyncGenerator<RecordedLine[]> {}

function totalsOf({ markets, snapshots, live } = { markets: 0, snapshots: 0, live: 0 }): Opened['totals'] {
  return { total_markets: markets, total_snapshots: snapshots, live_count: live, closed_count: markets - live }
}

/** Outcomes are in PostgreSQL; a market that is only in ClickHouse has none. */
async function withResults(stores: Stores, page: readonly RecordedLine[], nowMs: number): Promise<HistoryEntry[]> {
  const known = await stores.markets.byIds(
    page.map(({ marketId }) => marketId),
    nowMs,
  )
  const resolutions = new Map(known.map(({ id, resolution }) => [id, resolution]))
  const results = await resultsOf(
    stores,
    page.map(({ marketId: id, venue }) => ({ id, venue, resolution: resolutions.get(id) })),
  )
  return page.map((line) => ({ ...entryOf(line), ...results.get(line.marketId) }))
}

function entryOf(line: RecordedLine): HistoryEntry {
  return {
    crypto: line.category === 'crypto' ? line.subcategory : '',
    timeframe: line.timeframe,
    market_id: line.marketId,
    category: line.category,
    subcategory: line.subcategory,
    first_seen: instantOf(line.firstSeenMs),
    last_seen: instantOf(line.lastSeenMs),
    snapshot_count: String(line.snapshotCount),
    is_live: line.isLive,
    end_date: instantOf(line.endsAtMs),
    question: line.question,
    slug: line.slug,
    venue: line.venue,
    share: line.share,
  }
}

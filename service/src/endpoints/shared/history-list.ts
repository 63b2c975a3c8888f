import { z } from 'zod'
import { hasWords, wordsOf } from '../../domain/searched-words.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import type { MarketFilter } from '../../stores/markets/markets.ts'
import type { RecordedFacts, RecordedList, RecordedMarket } from '../../stores/markets/recorded-markets.ts'
import { DEFAULT_VENUE } from '../../venue-registry.ts'
import type { EmptyReason, EndpointRequest, Table } from '../endpoint.ts'
import { roundedShare } from '../schemas/coverage.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Flag, isConditionId, Moment, wholeNumber } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import type { Stores } from '../stores.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor } from './cursor.ts'
import { readyCatalogue } from './find-market.ts'
import { ResultsFlag, requireShortList, resultMembers, resultsOf } from './listed-results.ts'
import { marketFilters, wantedMarkets, withoutScope } from './market-filters.ts'
import { isActive } from './market-flags.ts'

const LIST = 'market history'
const TOKENS = 2
const MAX_TEXT = 200

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
  limit: wholeNumber(1, 5_000).optional().describe('default: all at once'),
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

/** A market with the values that it is sorted, filtered and counted by. */
interface Listed {
  readonly recorded: RecordedMarket
  readonly firstSeenMs: number
  readonly lastSeenMs: number
  readonly snapshotCount: number
  readonly share: number
  readonly isLive: boolean
  readonly endsAtMs: number
  /** Empty when only rows of the market are known. */
  readonly venue: string
}

/** Computed once per list that is read; entries only for the markets of a page. */
const listedMarkets = new WeakMap<RecordedList, readonly Listed[]>()
const entries = new WeakMap<Listed, HistoryEntry>()
const entryTexts = new WeakMap<HistoryEntry, string>()
/** In small letters, as the words of a search are. */
const searchedTexts = new WeakMap<RecordedFacts, string>()

/** All recorded markets, from a list that is at most `maxAgeMs` old. */
export async function listHistory(request: EndpointRequest<unknown, HistoryQuery, unknown>, maxAgeMs: number) {
  const { query, stores, nowMs } = request
  requireShortList(query.results, query.limit)
  const { filter, leftOut, aside } = wantedMarkets(request)
  const after = decodeCursor(query.cursor, LIST, Position)
  const list = await stores.recordedMarkets.list({ nowMs, maxAgeMs })
  const listed = listedOf(stores, list, nowMs)
  const words = query.q === undefined ? undefined : wordsOf(query.q)
  const isFound = (each: Listed): boolean => words === undefined || hasWords(searchedText(each), words)
  const passing = filter === undefined ? [] : listed.filter((each) => passes(each, filter, query) && isFound(each))
  const isHidden = () =>
    filter !== undefined && listed.some((each) => passes(each, withoutScope(filter), query) && isFound(each))
  const start = after === undefined ? 0 : passing.findIndex((each) => isBehind(each, after))
  const rest = start === -1 ? [] : passing.slice(start)
  const page = query.limit === undefined ? rest : rest.slice(0, query.limit)
  const emptyReason: EmptyReason | undefined =
    page.length > 0 ? undefined : passing.length === 0 && leftOut.length > 0 && isHidden() ? 'tier' : 'no_match'
  const liveCount = passing.reduce((count, { isLive }) => count + (isLive ? 1 : 0), 0)
  return {
    body: {
      total_markets: passing.length,
      total_snapshots: passing.reduce((sum, { snapshotCount }) => sum + snapshotCount, 0),
      live_count: liveCount,
      closed_count: passing.length - liveCount,
      next_cursor: page.length < rest.length ? cursorAfter(page) : null,
      ...(emptyReason !== undefined && { empty_reason: emptyReason }),
      markets: query.results ? await withResults(stores, page, nowMs) : page.map(entryOf),
    },
    ageMs: nowMs - list.readAtMs,
    aside: { ...aside, status: query.status, limit: query.limit },
    emptyReason,
  }
}

/** Outcomes are in PostgreSQL; a market that is only in ClickHouse has none. */
async function withResults(stores: Stores, page: readonly Listed[], nowMs: number): Promise<HistoryEntry[]> {
  const known = await stores.markets.byIds(page.map(idOf), nowMs)
  const resolutions = new Map(known.map(({ id, resolution }) => [id, resolution]))
  const results = await resultsOf(
    stores,
    page.map((listed) => ({ id: idOf(listed), venue: listed.venue, resolution: resolutions.get(idOf(listed)) })),
  )
  return page.map((listed) => ({ ...entryOf(listed), ...results.get(idOf(listed)) }))
}

/** The JSON of a reply; the text of an entry is written once per list that is read. */
export function renderHistory({ markets, ...envelope }: HistoryReply): string {
  const texts = markets.map((entry) => {
    const text = entryTexts.get(entry) ?? JSON.stringify(entry)
    entryTexts.set(entry, text)
    return text
  })
  return `${JSON.stringify(envelope).slice(0, -1)},"markets":[${texts.join(',')}]}`
}

function listedOf(stores: Stores, list: RecordedList, nowMs: number): readonly Listed[] {
  const known = listedMarkets.get(list)
  if (known !== undefined) return known
  const catalogue = readyCatalogue(stores)
  const listed = list.markets
    .map((recorded): Listed => {
      const { intervalMs, facts } = recorded
      const present = catalogue.byId(recorded.marketId, nowMs)
      const lastSeenMs = slotTimeMs(recorded.lastSlot, intervalMs)
      return {
        recorded,
        firstSeenMs: slotTimeMs(recorded.firstSlot, intervalMs),
        lastSeenMs,
        snapshotCount: recorded.rowCount * TOKENS,
        share: roundedShare(recorded.rowCount, recorded.lastSlot - recorded.firstSlot + 1),
        isLive: present !== undefined && isActive(present.status),
        // The catalogue knows a changed end before the facts do.
        endsAtMs: present?.endsAtMs ?? facts?.endsAtMs ?? lastSeenMs,
        venue: present?.venue ?? facts?.venue ?? '',
      }
    })
    .sort((one, other) => other.firstSeenMs - one.firstSeenMs || (idOf(one) < idOf(other) ? -1 : 1))
  listedMarkets.set(list, listed)
  return listed
}

function idOf({ recorded }: Listed): string {
  return recorded.marketId
}

function entryOf(listed: Listed): HistoryEntry {
  const known = entries.get(listed)
  if (known !== undefined) return known
  const { facts } = listed.recorded
  const entry = {
    crypto: facts?.category === 'crypto' ? facts.subcategory : '',
    timeframe: facts?.timeframe ?? '',
    market_id: idOf(listed),
    category: facts?.category ?? '',
    subcategory: facts?.subcategory ?? '',
    first_seen: instantOf(listed.firstSeenMs),
    last_seen: instantOf(listed.lastSeenMs),
    snapshot_count: String(listed.snapshotCount),
    is_live: listed.isLive,
    end_date: instantOf(listed.endsAtMs),
    question: facts?.question ?? '',
    slug: facts?.slug ?? '',
    venue: listed.venue,
    share: listed.share,
  }
  entries.set(listed, entry)
  return entry
}

function passes(
  { recorded: { facts }, isLive, lastSeenMs, venue, share }: Listed,
  filter: MarketFilter,
  query: HistoryQuery,
): boolean {
  const { category, categories, subcategory, coin, timeframe } = filter
  return (
    // The venue is unknown only where rows are older than stored listings; those rows are of the first venue.
    (filter.venue === undefined || (venue || DEFAULT_VENUE) === filter.venue) &&
    (category === undefined || facts?.category === category) &&
    (categories === undefined || categories.some((each) => each === facts?.category)) &&
    (subcategory === undefined || facts?.subcategory === subcategory) &&
    (coin === undefined || (facts?.category === 'crypto' && facts.subcategory === coin)) &&
    (timeframe === undefined || facts?.timeframe === timeframe) &&
    (query.status === undefined || isLive === (query.status === 'live')) &&
    (query.since === undefined || lastSeenMs >= query.since) &&
    (!query.complete || share === 1)
  )
}

/** Empty when only rows of the market are known. */
function searchedText({ recorded: { facts } }: Listed): string {
  if (facts === undefined) return ''
  const text = searchedTexts.get(facts) ?? `${facts.question} ${facts.slug} ${facts.subcategory}`.toLowerCase()
  searchedTexts.set(facts, text)
  return text
}

/** The first slot of a market never changes, so pages neither repeat nor skip a market while others are recorded. */
const Position = z.tuple([CursorTime, z.string().refine(isConditionId)])

function isBehind(listed: Listed, [firstSeenMs, id]: z.infer<typeof Position>): boolean {
  return listed.firstSeenMs < firstSeenMs || (listed.firstSeenMs === firstSeenMs && idOf(listed) > id)
}

function cursorAfter(page: readonly Listed[]): string | null {
  const last = page.at(-1)
  return last === undefined ? null : encodeCursor(LIST, [last.firstSeenMs, idOf(last)])
}

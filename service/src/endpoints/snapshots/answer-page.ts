import { z } from 'zod'
import type { Gap } from '../../domain/rows/gap.ts'
import { slotAt } from '../../domain/slot.ts'
import type { RecordedWindow } from '../../stores/books/recorded-window.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import type { EmptyReason, EndpointRequest } from '../endpoint.ts'
import { GapRecord, gapRecordOf } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Flag, type MarketParams, Moment, Order, Side, wholeNumber } from '../schemas/parameters.ts'
import { findMarket } from '../shared/find-market.ts'
import { Coverage, coverageOf, type Stored } from './coverage.ts'
import { gapsIn, type PageWish, readPage, type SnapshotPage } from './read-page.ts'
import { type AskedRange, askedRange } from './requested-range.ts'
import { decodeCursor, encodeCursor } from './snapshot-cursor.ts'

export const SnapshotQuery = z.object({
  from: Moment.optional().describe('earliest time of capture, included'),
  to: Moment.optional().describe('latest time of capture, not included'),
  limit: wholeNumber(1, 500).default(100).describe('token snapshots; a slot has two, one for each side'),
  side: Side.optional(),
  order: Order.optional().describe('by slot, within it UP before DOWN; asc when `from` is given, else desc'),
  cursor: z.string().min(1).max(100).optional().describe('`next_cursor` of the page before, with the same parameters'),
  includebook: Flag.default(true).describe('false leaves bids and asks out'),
  dry_run: Flag.default(false).describe(
    'true tells rows, calls, credits and gaps of the whole range, and costs nothing',
  ),
})

/** What a page says beside its rows. */
export const SnapshotEnvelope = z.object({
  next_cursor: z.string().nullable().describe('null when nothing follows'),
  gaps: z.array(GapRecord).describe('those that touch the slots of this page'),
  coverage: Coverage.describe('of the slots of this page; a slot that two pages share counts in both'),
  market_id: z.string(),
  history_from: Instant.optional().describe('the oldest moment that the tier includes, when `from` was left out'),
  empty_reason: z.string().optional().describe('why there is nothing'),
})
type SnapshotEnvelope = z.infer<typeof SnapshotEnvelope>

export type SnapshotRequest = EndpointRequest<z.output<typeof MarketParams>, z.output<typeof SnapshotQuery>, undefined>

export interface AskedPage {
  readonly market: StoredMarket
  readonly wish: PageWish
  readonly page: SnapshotPage
  readonly envelope: SnapshotEnvelope
  readonly emptyReason: EmptyReason | undefined
}

/** Which market, whether its category is in the tier, and from when to when it was recorded. */
export async function recordedMarket({
  params,
  stores,
  nowMs,
  require,
}: Pick<SnapshotRequest, 'params' | 'stores' | 'nowMs' | 'require'>): Promise<{
  market: StoredMarket
  window: RecordedWindow | undefined
}> {
  const market = await findMarket(stores, params.id, nowMs)
  require({ category: market.category })
  return { market, window: await stores.recordedWindows.of(market.id, nowMs) }
}

/** One page with all that is said about it. */
export async function askPage(request: SnapshotRequest, includeBook: boolean): Promise<AskedPage> {
  const { query, stores, signal, nowMs } = request
  const { market, window } = await recordedMarket(request)
  const range = askedRange(request, market, window)
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, market.id, query.order)
  const wish: PageWish = {
    order: after?.order ?? query.order ?? (query.from === undefined ? 'desc' : 'asc'),
    limit: query.limit,
    outcomes: query.side === undefined ? [0, 1] : [query.side === 'UP' ? 0 : 1],
    includeBook,
    after,
  }
  const found = await readPage(stores, range, wish, { signal, nowMs })
  const isEmpty = found.tokens.length === 0
  const page = isEmpty ? { ...found, gaps: await gapsIn(stores, wholeRange(range, nowMs)) } : found
  const emptyReason = isEmpty ? whyEmpty(range, page.gaps, window) : undefined
  return {
    market,
    wish,
    page,
    emptyReason,
    envelope: {
      next_cursor: page.next === undefined ? null : encodeCursor(page.next, market.id),
      gaps: page.gaps.map(gapRecordOf),
      coverage: coverageOf(isEmpty ? wholeRange(range, nowMs) : page.range, storedIn(page), page.gaps, window),
      market_id: market.id,
      ...(range.historyFromMs !== undefined && { history_from: instantOf(range.historyFromMs) }),
      ...(emptyReason !== undefined && { empty_reason: emptyReason }),
    },
  }
}

/** What was asked for, whether or not anything was recorded then. */
export function wholeRange(range: AskedRange, nowMs: number): AskedRange {
  const { intervalMs, fromMs, toMs } = range
  return { ...range, fromSlot: Math.ceil(fromMs / intervalMs), toSlot: slotAt(Math.min(toMs - 1, nowMs), intervalMs) }
}

export function whyEmpty(range: AskedRange, gaps: readonly Gap[], window: RecordedWindow | undefined): EmptyReason {
  if (window === undefined) return gaps.length > 0 ? 'gap' : 'not_recorded_yet'
  const { intervalMs, historyFromMs } = range
  if (historyFromMs !== undefined && window.lastSlot * intervalMs < historyFromMs) return 'tier'
  if (gaps.length > 0) return 'gap'
  const isOutside = range.fromMs > window.lastSlot * intervalMs || range.toMs <= window.firstSlot * intervalMs
  return isOutside ? 'outside_capture' : 'no_match'
}

function storedIn({ rows, tokens }: SnapshotPage): Stored {
  const slots = new Set(tokens.map(({ index }) => rows.slot(index)))
  const [first, last] = [tokens[0], tokens.at(-1)].map((token) => token && rows.slot(token.index))
  if (first === undefined || last === undefined) return { count: 0, firstSlot: undefined, lastSlot: undefined }
  return { count: slots.size, firstSlot: Math.min(first, last), lastSlot: Math.max(first, last) }
}

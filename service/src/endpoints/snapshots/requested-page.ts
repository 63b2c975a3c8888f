import { z } from 'zod'
import { PAGE_BOOKS } from '../../domain/prices.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { slotAt } from '../../domain/slot.ts'
import { NO_SLOTS, slotsCapturedIn, slotsIn } from '../../domain/slot-range.ts'
import type { RecordedWindow } from '../../stores/books/recorded-window.ts'
import type { CaptureRange, RowCount } from '../../stores/books/snapshot-pages.ts'
import type { EmptyReason, EndpointRequest } from '../endpoint.ts'
import { Coverage } from '../schemas/coverage.ts'
import { GapRecord, gapRecordOf } from '../schemas/gap.ts'
import { Flag, fromBeforeTo, type MarketParams, Moment, Order, Side, wholeNumber } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import { HistoryFrom, historyFromMember, type RequestedRange, requestedRange } from '../shared/requested-range.ts'
import { coverageOf } from './coverage.ts'
import { gapsIn, type PageRequest, readPage, type SnapshotPage } from './read-page.ts'

export const SnapshotQuery = z
  .object({
    from: Moment.optional().describe('earliest time of capture, included'),
    to: Moment.optional().describe('latest time of capture, not included'),
    limit: wholeNumber(1, PAGE_BOOKS).default(100).describe('token snapshots; a slot has two, one for each side'),
    side: Side.optional(),
    order: Order.optional().describe('by slot, within it UP before DOWN; asc when `from` is given, else desc'),
    cursor: Cursor.optional(),
    includebook: Flag.default(true).describe('false leaves bids and asks out'),
    dry_run: Flag.default(false).describe(
      'true returns rows, calls, credits and gaps of the whole range, and costs nothing',
    ),
  })
  .check(fromBeforeTo)

/** Members that a page and a dry run have in common. */
export const rangeMembers = {
  market_id: z.string(),
  venue: VenueName,
  history_from: HistoryFrom,
  empty_reason: z.string().optional().describe('why there are no rows'),
}

export const SnapshotEnvelope = z.object({
  next_cursor: NextCursor,
  gaps: z.array(GapRecord).describe('gaps that touch the slots of this page'),
  coverage: Coverage.describe('of the slots of this page; a slot that two pages share counts in both'),
  ...rangeMembers,
})

export type SnapshotRequest = EndpointRequest<z.output<typeof MarketParams>, z.output<typeof SnapshotQuery>, undefined>

/** Times of capture, and the recorded slots that can hold them. */
export type RequestedSlots = CaptureRange & RequestedRange

export interface RequestedPage {
  readonly market: FoundMarket
  readonly request: PageRequest
  readonly page: SnapshotPage
  readonly envelope: z.infer<typeof SnapshotEnvelope>
  readonly emptyReason: EmptyReason | undefined
  readonly readUpToSlot: number
}

/** Rows captured up to now may have a slightly later time of capture. */
const CLOCK_MARGIN_MS = 5_000
/** A market without rows for so long has ended, so its slots end with its last row. */
const ENDED_AFTER_MS = 3_600_000

export interface FoundSlots {
  readonly market: FoundMarket
  readonly window: RecordedWindow | undefined
  readonly range: RequestedSlots
  /** The end of what is read: now, or the time of the request that is retried. */
  readonly asOfMs: number
  /** Older rows are not kept; 0 when all are. */
  readonly storedFromMs: number
}

/** Finds the market, checks the tier, and limits the range to what is recorded, so that no other day is read. */
export async function requestedSlots(request: SnapshotRequest): Promise<FoundSlots> {
  const { params, stores, nowMs, paidRead, require } = request
  const asOfMs = paidRead?.atMs ?? nowMs
  const market = await findMarket(stores, params.id, nowMs)
  require({ category: market.category })
  const [recorded, storedFromMs] = await Promise.all([
    stores.recordedWindows.of(market.id, nowMs),
    stores.storedSince.of('snapshots', nowMs),
  ])
  const window = recorded && upTo(recorded, paidRead?.upToSlot)
  const { id: marketId, captureIntervalMs: intervalMs } = market
  const times = requestedRange({ ...request, nowMs: asOfMs }, asOfMs + CLOCK_MARGIN_MS)
  const found = { market, window, asOfMs, storedFromMs }
  if (window === undefined) return { ...found, range: { marketId, intervalMs, ...times, ...NO_SLOTS } }
  const { fromSlot, toSlot } = slotsCapturedIn(times, intervalMs)
  const lastSlot = recorded?.lastSlot ?? window.lastSlot
  const isEnded = market.status === 'expired' || lastSlot * intervalMs < asOfMs - ENDED_AFTER_MS
  const newestSlot = isEnded ? window.lastSlot : slotAt(asOfMs, intervalMs) + 1
  const slots = { fromSlot: Math.max(fromSlot, window.firstSlot), toSlot: Math.min(toSlot, newestSlot) }
  return { ...found, range: { marketId, intervalMs, ...times, ...slots } }
}

export async function requestedPage(request: SnapshotRequest, includeBook: boolean): Promise<RequestedPage> {
  const { query, stores, signal, nowMs, paidRead } = request
  const slots = await requestedSlots(request)
  const { market, window, range, asOfMs } = slots
  const list = `snapshots ${market.id}`
  const Position = z.tuple([
    query.order === undefined ? Order : z.literal(query.order),
    CursorTime,
    z.union([z.literal(0), z.literal(1)]),
  ])
  const [cursorOrder, slot = 0, outcome = 0] = decodeCursor(query.cursor, list, Position) ?? []
  const order = cursorOrder ?? query.order ?? (query.from === undefined ? 'desc' : 'asc')
  const pageRequest: PageRequest = {
    order,
    limit: query.limit,
    outcomes: query.side === undefined ? [0, 1] : [query.side === 'UP' ? 0 : 1],
    includeBook,
    after: cursorOrder && { slot, outcome },
    upToSlot: paidRead?.upToSlot,
  }
  const found = await readPage(stores, range, pageRequest, { signal, nowMs })
  const isEmpty = found.tokens.length === 0
  const page = isEmpty ? { ...found, gaps: await gapsIn(stores, wholeRange(range, asOfMs)) } : found
  const { next, gaps } = page
  const emptyReason = isEmpty ? whyEmpty(slots, gaps) : undefined
  return {
    market,
    request: pageRequest,
    page,
    emptyReason,
    readUpToSlot: isEmpty ? (window?.lastSlot ?? 0) : page.readUpToSlot,
    envelope: {
      next_cursor: next === undefined ? null : encodeCursor(list, [order, next.slot, next.outcome]),
      gaps: gaps.map(gapRecordOf),
      coverage: coverageOf(isEmpty ? wholeRange(range, asOfMs) : page.range, storedIn(page), gaps, window),
      ...rangeMembersOf(slots, emptyReason),
    },
  }
}

export function rangeMembersOf(
  { market, range, window }: Pick<FoundSlots, 'market' | 'range' | 'window'>,
  emptyReason: EmptyReason | undefined,
) {
  return {
    market_id: market.id,
    venue: market.venue,
    ...historyFromMember(range, window && window.firstSlot * range.intervalMs),
    ...(emptyReason !== undefined && { empty_reason: emptyReason }),
  }
}

/** The window as it was when its newest row was the one of this slot. */
function upTo(window: RecordedWindow, slot = window.lastSlot): RecordedWindow | undefined {
  return slot < window.firstSlot ? undefined : { ...window, lastSlot: Math.min(window.lastSlot, slot) }
}

/** All slots of the requested time up to now, recorded or not. */
export function wholeRange(range: RequestedSlots, nowMs: number): RequestedSlots {
  const { intervalMs, fromMs, toMs } = range
  return { ...range, ...slotsIn({ fromMs, toMs: Math.min(toMs, nowMs + 1) }, intervalMs) }
}

export function whyEmpty(
  { market, window, range, storedFromMs }: Pick<FoundSlots, 'market' | 'window' | 'range' | 'storedFromMs'>,
  gaps: readonly Gap[],
): EmptyReason {
  const { intervalMs, fromMs, toMs, historyFromMs } = range
  if (toMs <= storedFromMs || (window === undefined && market.endsAtMs < storedFromMs)) return 'retention'
  if (window === undefined) return gaps.length > 0 ? 'gap' : 'not_recorded_yet'
  const [firstMs, lastMs] = [window.firstSlot * intervalMs, window.lastSlot * intervalMs]
  if (historyFromMs !== undefined && lastMs < historyFromMs) return 'tier'
  if (gaps.length > 0) return 'gap'
  return fromMs > lastMs || toMs <= firstMs ? 'outside_capture' : 'no_match'
}

function storedIn({ rows, tokens }: SnapshotPage): RowCount {
  const slots = tokens.map(({ index }) => rows.slot(index))
  const [first, last] = [slots[0], slots.at(-1)]
  if (first === undefined || last === undefined) return { rowCount: 0 }
  return { rowCount: new Set(slots).size, firstSlot: Math.min(first, last), lastSlot: Math.max(first, last) }
}

import { z } from 'zod'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { overlapOf, type TimeRange } from '../../domain/time-range.ts'
import type { EmptyReason, EndpointRequest } from '../endpoint.ts'
import { type Doubt, doubtMembers, doubtOf, NO_DOUBT, TOLD_WITHIN_MS } from '../history/trade-gaps.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, Moment, Order, wholeNumber } from '../schemas/parameters.ts'
import { OptionalExchange, SymbolParameter } from '../schemas/perp-book.ts'
import { Cursor, NextCursor } from './cursor.ts'
import type { PerpReads } from './perp-reads.ts'
import { HistoryFrom, historyFromMember, requestedRange } from './requested-range.ts'

const DAY_MS = 86_400_000

export const PerpPageQuery = z
  .object({
    symbol: SymbolParameter,
    exchange: OptionalExchange,
    from: Moment.optional().describe('earliest time, included; default: 24 hours before `to`'),
    to: Moment.optional().describe('latest time, not included; default: now'),
    limit: wholeNumber(1, 500).default(100),
    order: Order.optional().describe('by time; asc when `from` is given, else desc'),
    cursor: Cursor.optional(),
  })
  .check(fromBeforeTo)

export const RestrictedFrom = Instant.optional().describe(
  'from this time on the data is for tiers with the live exchange book, and is therefore left out',
)

/** What the tier of the caller leaves out. */
export const restrictionMembers = { history_from: HistoryFrom, restricted_from: RestrictedFrom }

/** The members that every list about a perp has beside its rows. */
export const perpPageMembers = {
  exchange: z.string(),
  symbol: z.string(),
  venue: z.string().describe('the venue of the exchange'),
  next_cursor: NextCursor,
  ...doubtMembers('rows'),
  ...restrictionMembers,
  empty_reason: z.string().optional(),
}

export const RESTRICTION =
  'Data of the last 60 seconds is for the tiers that have the live exchange book; for the others `restricted_from` tells where the answer ends.'

type PageRequest = EndpointRequest<unknown, z.output<typeof PerpPageQuery>, unknown>
type RangeQuery = Pick<z.output<typeof PerpPageQuery>, 'symbol' | 'exchange' | 'from' | 'to'>
type PerpRequest = EndpointRequest<unknown, RangeQuery, unknown>

interface Perp {
  readonly venue: string
  readonly symbol: string
}

export interface PerpRange {
  readonly perp: Perp
  /** Everything that is recorded and kept; undefined when there is nothing. */
  readonly recorded: TimeRange | undefined
  /** What to read of it; undefined when there is nothing. */
  readonly range: TimeRange | undefined
  readonly emptyReason: EmptyReason | undefined
  /** Members of the answer that do not depend on the rows. */
  readonly members: {
    readonly exchange: string
    readonly symbol: string
    readonly venue: string
    readonly history_from?: string
    readonly restricted_from?: string
  }
}

export interface PerpPage extends PerpRange {
  readonly order: 'asc' | 'desc'
}

/** A page of trades or contexts. */
export async function perpPageOf(request: PageRequest, table: 'perp_trades' | 'perp_contexts'): Promise<PerpPage> {
  const { query, stores, perps, nowMs } = request
  const found = await perpRangeOf(request, async (perp) => {
    const [sinceMs, storedFromMs] = await Promise.all([perps.tapeSince(perp), stores.storedSince.of(table, nowMs)])
    return sinceMs === undefined ? undefined : { fromMs: Math.max(sinceMs, storedFromMs), toMs: nowMs }
  })
  return { ...found, order: query.order ?? (query.from === undefined ? 'desc' : 'asc') }
}

/** The time that a request is about, as far as the tier includes it and it is recorded and kept. */
export async function perpRangeOf(
  request: PerpRequest,
  recordedOf: (perp: Perp) => Promise<TimeRange | undefined>,
): Promise<PerpRange> {
  const { query, perps, nowMs } = request
  const { symbol, exchange: venue } = query
  const perp = { venue, symbol }
  const requested = requestedRange(request, nowMs)
  const dayBeforeMs = Math.max((query.to ?? nowMs) - DAY_MS, requested.fromMs)
  const fromMs = query.from ?? dayBeforeMs
  if (fromMs >= perps.untilMs) request.require('live_exchange_book')
  const toMs = Math.min(requested.toMs, perps.untilMs)
  const recorded = await recordedOf(perp)
  const members = {
    exchange: `${venue}_perp`,
    ...perp,
    ...historyFromMember(requested, recorded?.fromMs),
    ...(toMs < requested.toMs && { restricted_from: instantOf(toMs) }),
  }
  const range = recorded && overlapOf({ fromMs, toMs }, recorded)
  const whyNone = recorded === undefined ? 'not_recorded_yet' : 'outside_capture'
  return { perp, recorded, range, emptyReason: range === undefined ? whyNone : undefined, members }
}

/** Where trades and contexts may be missing in the time of a page. */
export async function accountOf(
  perps: PerpReads,
  perp: PerpPage['perp'],
  timeOfPage: TimeRange | undefined,
): Promise<Doubt> {
  if (timeOfPage === undefined) return NO_DOUBT
  const records = await perps.allGaps({ ...perp, ...timeOfPage }, TOLD_WITHIN_MS + PERP_INTERVAL_MS)
  return doubtOf(records.filter(isAboutTape), timeOfPage)
}

/** The time from the row before a page to its last row; all of the range when no page follows. */
export function timeOfPage(
  { order, range }: PerpPage,
  afterMs: number | undefined,
  lastMs: number | undefined,
): TimeRange | undefined {
  if (range === undefined) return undefined
  const [earliestMs, latestMs] = order === 'asc' ? [afterMs, lastMs] : [lastMs, afterMs]
  return {
    fromMs: Math.max(range.fromMs, earliestMs ?? range.fromMs),
    toMs: Math.min(range.toMs, latestMs === undefined ? range.toMs : latestMs + 1),
  }
}

/** Books come over another socket, so a book that is not fresh says nothing about trades. */
function isAboutTape({ kind, cause }: { readonly kind: string; readonly cause: string }): boolean {
  return kind === 'trades' || cause !== 'venue_silent'
}

/** Where an answer ends that was asked for until `toMs`; nothing is left out when its data is not there yet. */
export function restrictedFromMember(
  { untilMs }: Pick<PerpReads, 'untilMs'>,
  toMs: number,
  nowMs: number,
): { restricted_from?: string } {
  return untilMs < Math.min(toMs, nowMs) ? { restricted_from: instantOf(untilMs) } : {}
}

import { z } from 'zod'
import { GAP_CAUSES, GAP_KINDS, type Gap } from '../../domain/rows/gap.ts'
import { NO_SLOTS, slotsIn } from '../../domain/slot-range.ts'
import { overlapOf } from '../../domain/time-range.ts'
import { endpoint } from '../endpoint.ts'
import { Coverage, coverageOfSlots } from '../schemas/coverage.ts'
import { GapEntry, gapEntryOf } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, MarketParams, Moment, wholeNumber } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { Cursor, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { findMarket } from '../shared/find-market.ts'
import { accountForSlots, recordedRange, whyNothing, whyOutside } from '../shared/recorded-range.ts'
import { HistoryFrom, historyFromMember, requestedRange } from '../shared/requested-range.ts'
import { rangeAskedFor, recordedShareOf, UnrecordedPart, unrecordedParts } from './unrecorded-parts.ts'

const MAX_GAPS = 5_000
const DEFAULT_GAPS = 1_000

/** The end of a gap may move while it is open, so it is not part of the position. */
const Position = z.tuple([z.int(), z.enum(GAP_KINDS), z.string(), z.int()])

const GapReport = z
  .object({
    market_id: z.string(),
    venue: VenueName,
    capture_interval_ms: z.int().describe('sampling interval of the market'),
    recorded_from: Instant.nullable().describe('time of the first slot with a row or a gap'),
    recorded_to: Instant.nullable().describe('end of the last slot with a row or a gap'),
    requested_from: Instant.nullable().describe(
      'start of the range that the answer is about: `from`, or the earlier of the first recorded slot and the start of the window',
    ),
    requested_to: Instant.nullable().describe(
      'its end, not included: `to`, or the later of the last recorded slot and the end of the window, but not after now',
    ),
    recorded_share: z
      .number()
      .nullable()
      .describe('share of the slots from requested_from to requested_to that lie in the recorded range; rounded down'),
    unrecorded: z
      .array(UnrecordedPart)
      .describe(
        'parts from requested_from to requested_to outside of the recorded range; their slots are not expected',
      ),
    from: Instant.nullable().describe('start of the counted range: the requested range cut to what was recorded'),
    to: Instant.nullable().describe('not included'),
    history_from: HistoryFrom,
    coverage: Coverage.describe(
      'of the slots from `from` to `to`; slots outside of the recorded range are not expected',
    ),
    unaccounted_slots: z.int().describe('missing slots without a gap; more than 0 is a bug of the service'),
    gap_count: z.int().describe('gaps that match the filters, on all pages'),
    gaps: z.array(GapEntry).describe('by start, cut to the range'),
    next_cursor: NextCursor,
    empty_reason: z.string().optional(),
  })
  .meta({ id: 'GapReport' })
type GapReport = z.infer<typeof GapReport>

export const listGaps = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/gaps',
  name: 'list_gaps',
  group: 'History',
  summary: 'List the gaps of a market with their causes',
  description:
    'Within the recorded range every slot of a market has a row or is covered by a gap; `unrecorded` lists what lies outside of it. Slots of a missing gap that have a row after all are left out.',
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  query: z
    .object({
      from: Moment.optional().describe('earliest slot, included; default: everything recorded that the tier includes'),
      to: Moment.optional().describe('latest slot, not included; default: the end of what was recorded'),
      kind: z.enum(GAP_KINDS).optional().describe('only gaps of this kind; slot counts are not filtered'),
      cause: z.enum(GAP_CAUSES).optional().describe('only gaps with this cause; slot counts are not filtered'),
      limit: wholeNumber(1, MAX_GAPS).default(DEFAULT_GAPS).describe('gaps per page'),
      cursor: Cursor.optional(),
    })
    .check(fromBeforeTo),
  reply: GapReport,
  errors: ['market_not_found'],
  table: {
    columns: Object.keys(GapEntry.shape),
    rows: ({ gaps }) => gaps,
    inRows: ['gaps'],
  },

  async handle(request) {
    const { params, query, stores, nowMs, signal, require } = request
    const market = await findMarket(stores, params.id, nowMs)
    require({ category: market.category })
    const known = await recordedRange(stores, market, nowMs)
    const head = { market_id: market.id, venue: market.venue, capture_interval_ms: market.captureIntervalMs }
    if (known === undefined) {
      const asked = { requested_from: instantOrNull(query.from), requested_to: instantOrNull(query.to) }
      const reason = await whyNothing(stores, market, nowMs)
      return { body: { ...nothing(head, reason), ...asked }, emptyReason: reason }
    }
    const requested = requestedRange(request, known.toMs)
    const asked = rangeAskedFor(query, requested, market, known, nowMs)
    const unrecorded = unrecordedParts(asked, known, market.captureIntervalMs)
    const recorded = {
      recorded_from: instantOf(known.fromMs),
      recorded_to: instantOf(known.toMs),
      requested_from: instantOf(asked.fromMs),
      requested_to: instantOf(asked.toMs),
      recorded_share: recordedShareOf(asked, unrecorded, market.captureIntervalMs),
      unrecorded,
    }
    const range = overlapOf(requested, known)
    if (range === undefined) {
      const reason = await whyOutside(stores, requested, nowMs)
      return { body: { ...nothing(head, reason), ...recorded }, emptyReason: reason }
    }
    const account = await accountForSlots(stores, market, range, signal)
    const gaps = account.gaps
      .filter(({ kind, cause }) => (query.kind ?? kind) === kind && (query.cause ?? cause) === cause)
      .toSorted((one, other) => compare(positionOf(one), positionOf(other)))
    const list = `gaps ${market.id}`
    const after = decodeCursor(query.cursor, list, Position)
    const rest = after === undefined ? gaps : gaps.filter((gap) => compare(positionOf(gap), after) > 0)
    const page = rest.slice(0, query.limit)
    const last = page.at(-1)
    return {
      body: {
        ...head,
        ...recorded,
        from: instantOf(range.fromMs),
        to: instantOf(range.toMs),
        ...historyFromMember(requested, known.fromMs),
        coverage: coverageOfSlots(
          slotsIn(range, market.captureIntervalMs),
          account.expectedSlots - account.missingSlots,
          market.captureIntervalMs,
        ),
        unaccounted_slots: account.unaccountedSlots,
        gap_count: gaps.length,
        gaps: page.map(gapEntryOf),
        next_cursor: last && rest.length > page.length ? encodeCursor(list, positionOf(last)) : null,
      },
      ...(gaps.length < account.gaps.length && gaps.length === 0 && { emptyReason: 'no_match' as const }),
    }
  },
})

function nothing(head: Pick<GapReport, 'market_id' | 'venue' | 'capture_interval_ms'>, reason: string): GapReport {
  return {
    ...head,
    recorded_from: null,
    recorded_to: null,
    requested_from: null,
    requested_to: null,
    recorded_share: 0,
    unrecorded: [],
    from: null,
    to: null,
    coverage: coverageOfSlots(NO_SLOTS, 0, head.capture_interval_ms),
    unaccounted_slots: 0,
    gap_count: 0,
    gaps: [],
    next_cursor: null,
    empty_reason: reason,
  }
}

function instantOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : instantOf(atMs)
}

function positionOf({ fromSlot, kind, cause, knownAtSlot }: Gap): z.infer<typeof Position> {
  return [fromSlot, kind, cause, knownAtSlot]
}

function compare(one: z.infer<typeof Position>, other: z.infer<typeof Position>): number {
  const index = one.findIndex((part, place) => part !== other[place])
  const [mine, theirs] = [one[index], other[index]]
  return mine === undefined || theirs === undefined ? 0 : mine < theirs ? -1 : 1
}

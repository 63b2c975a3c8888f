import { z } from 'zod'
import { NO_SLOTS, slotsIn } from '../../domain/slot-range.ts'
import { overlapOf } from '../../domain/time-range.ts'
import { endpoint } from '../endpoint.ts'
import { Coverage, coverageOfSlots } from '../schemas/coverage.ts'
import { GapEntry } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, MarketParams, Moment } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { findMarket } from '../shared/find-market.ts'
import { gapPageMembers, gapPageOf, gapPageParameters, NO_GAPS } from '../shared/gap-page.ts'
import { accountForSlots, recordedRange, whyNothing, whyOutside } from '../shared/recorded-range.ts'
import { HistoryFrom, historyFromMember, requestedRange } from '../shared/requested-range.ts'
import { rangeAskedFor, recordedShareOf, UnrecordedPart, unrecordedParts } from './unrecorded-parts.ts'

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
    ...gapPageMembers,
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
      ...gapPageParameters,
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
    const page = gapPageOf(account.gaps, `gaps ${market.id}`, query)
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
        ...page,
      },
      ...(account.gaps.length > 0 && page.gap_count === 0 && { emptyReason: 'no_match' as const }),
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
    ...NO_GAPS,
    empty_reason: reason,
  }
}

function instantOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : instantOf(atMs)
}

import { z } from 'zod'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { perpMarketId } from '../../domain/rows/perp-snapshot.ts'
import { accountFor } from '../../domain/slot-accounting.ts'
import { NO_SLOTS, slotsIn } from '../../domain/slot-range.ts'
import { endpoint } from '../endpoint.ts'
import { Coverage, coverageOfSlots } from '../schemas/coverage.ts'
import { GapEntry } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, Moment } from '../schemas/parameters.ts'
import { OptionalExchange, SymbolParameter } from '../schemas/perp-book.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import { gapPageMembers, gapPageOf, gapPageParameters, NO_GAPS } from '../shared/gap-page.ts'
import { perpRangeOf, RESTRICTION, restrictionMembers } from '../shared/perp-page.ts'
import { recordedPerp } from '../shared/perp-slots.ts'

const DAY_MS = 86_400_000
/** Counting slots reads one column of every row. */
const MOST_DAYS = 7

const PerpGapReport = z
  .object({
    exchange: z.string(),
    symbol: z.string(),
    venue: z.string().describe('the venue of the exchange'),
    capture_interval_ms: z.int().describe('sampling interval'),
    recorded_from: Instant.nullable().describe('time of the first slot with a row'),
    recorded_to: Instant.nullable().describe('end of the last slot with a row or a gap'),
    from: Instant.nullable().describe('start of the counted range: the requested range cut to what was recorded'),
    to: Instant.nullable().describe('not included'),
    coverage: Coverage.describe('of the slots from `from` to `to`'),
    unaccounted_slots: z.int().describe('missing slots without a gap; more than 0 is a bug of the service'),
    ...gapPageMembers,
    ...restrictionMembers,
    empty_reason: z.string().optional(),
  })
  .meta({ id: 'PerpGapReport' })

export const listExchangeGaps = endpoint({
  method: 'GET',
  path: '/v1/exchange/gaps',
  name: 'list_exchange_gaps',
  group: 'Exchange',
  summary: 'List the gaps in the books of a perpetual future with their causes',
  description: `Within the recorded range every slot has a row or is covered by a gap. Gaps of trades and contexts are in the lists of these. At most ${MOST_DAYS} days in one request. ${RESTRICTION}`,
  access: { by: 'key', scope: 'history' },
  query: z
    .object({
      symbol: SymbolParameter,
      exchange: OptionalExchange,
      from: Moment.optional().describe('earliest slot, included; default: 24 hours before `to`'),
      to: Moment.optional().describe('latest slot, not included; default: now'),
      ...gapPageParameters,
    })
    .check(fromBeforeTo),
  reply: PerpGapReport,
  errors: ['tier_not_allowed'],
  table: { columns: Object.keys(GapEntry.shape), rows: ({ gaps }) => gaps, inRows: ['gaps'] },

  async handle(request) {
    const { query, perps, signal } = request
    const found = await perpRangeOf(request, (perp) => recordedPerp(request, perp))
    const { perp, recorded, range, emptyReason, members } = found
    const head = {
      ...members,
      capture_interval_ms: PERP_INTERVAL_MS,
      recorded_from: recorded ? instantOf(recorded.fromMs) : null,
      recorded_to: recorded ? instantOf(recorded.toMs) : null,
    }
    if (range === undefined) {
      const coverage = coverageOfSlots(NO_SLOTS, 0, PERP_INTERVAL_MS)
      const nothing = { from: null, to: null, coverage, unaccounted_slots: 0, ...NO_GAPS }
      return { body: { ...head, ...nothing, ...(emptyReason && { empty_reason: emptyReason }) }, emptyReason }
    }
    if (range.toMs - range.fromMs > MOST_DAYS * DAY_MS)
      throw invalidParameter('from', `must be at most ${MOST_DAYS} days before to; ask for one part after the other`)
    const marketId = perpMarketId(perp.venue, perp.symbol)
    const [runs, records] = await Promise.all([
      perps.missingSlots({ ...perp, intervalMs: PERP_INTERVAL_MS, ...range }, signal),
      perps.gaps({ ...perp, ...range }),
    ])
    const slots = slotsIn(range, PERP_INTERVAL_MS)
    const account = accountFor(slots, runs, records)
    const page = gapPageOf(account.gaps, `exchange gaps ${marketId}`, query)
    return {
      body: {
        ...head,
        from: instantOf(range.fromMs),
        to: instantOf(range.toMs),
        coverage: coverageOfSlots(slots, account.expectedSlots - account.missingSlots, PERP_INTERVAL_MS),
        unaccounted_slots: account.unaccountedSlots,
        ...page,
      },
      ...(account.gaps.length > 0 && page.gap_count === 0 && { emptyReason: 'no_match' as const }),
    }
  },
})

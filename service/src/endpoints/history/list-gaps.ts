import { z } from 'zod'
import { GAP_CAUSES, GAP_KINDS } from '../../domain/rows/gap.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { MarketParams, Moment, wholeNumber } from '../schemas/parameters.ts'
import { findMarket } from '../shared/find-market.ts'
import { rangeAsked, withinLife } from '../shared/history-range.ts'
import { recordedLife } from '../shared/recorded-life.ts'
import { GapEntry, gapEntryOf } from './gap-entry.ts'
import { slotAccountOf } from './slot-account.ts'

const MOST_GAPS = 5_000
const USUAL_GAPS = 1_000
const SHARE_DIGITS = 6

const GapReport = z
  .object({
    market_id: z.string(),
    interval_ms: z.int().describe('a snapshot is taken this often'),
    recorded_from: Instant.nullable().describe('the first slot of which anything is known'),
    recorded_to: Instant.nullable().describe('the end of the last one'),
    from: Instant.nullable().describe('what is counted here: the range asked for, as far as it was recorded'),
    to: Instant.nullable().describe('not included'),
    bounded_by_tier: z.boolean().describe('records reach further back than the tier does'),
    expected_slots: z.int(),
    stored_slots: z.int(),
    missing_slots: z.int(),
    unaccounted_slots: z.int().describe('missing without a record that says why; anything but 0 is a defect of ours'),
    completeness: z.number().nullable().describe('share of the expected slots that have a row'),
    gap_count: z.int().describe('of those that pass the filters'),
    gaps: z.array(GapEntry).describe('by their start; as far as they lie in the range and no row contradicts them'),
    empty_reason: z.string().optional(),
  })
  .meta({ id: 'GapReport' })
type GapReport = z.infer<typeof GapReport>

export const listGaps = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/gaps',
  name: 'list_gaps',
  group: 'History',
  summary: 'How complete the record of a market is, and why what is missing is missing',
  description:
    'Every slot of a market has a row or a gap with a cause. A record of missing rows is left out where a row exists after all.',
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  query: z.object({
    from: Moment.optional().describe('earliest slot, included; default: all that was recorded and the tier includes'),
    to: Moment.optional().describe('latest slot, not included; default: the end of the record'),
    kind: z.enum(GAP_KINDS).optional().describe('only gaps of this kind; counts stay as they are'),
    cause: z.enum(GAP_CAUSES).optional().describe('only gaps with this cause; counts stay as they are'),
    limit: wholeNumber(1, MOST_GAPS)
      .default(USUAL_GAPS)
      .describe('how many gaps at most; gap_count says how many there are, go on with from'),
  }),
  reply: GapReport,
  errors: ['market_not_found'],
  table: {
    columns: Object.keys(GapEntry.shape),
    rows: ({ gaps }) => gaps,
    envelope: (reply) => reply,
  },

  async handle({ params, query, stores, caller, nowMs, signal, require }) {
    const market = await findMarket(stores, params.id, nowMs)
    require({ category: market.category })
    const life = await recordedLife(stores, market, nowMs)
    const head = { market_id: market.id, interval_ms: market.captureIntervalMs }
    if (life === undefined) return { body: nothing(head, 'not_recorded_yet'), emptyReason: 'not_recorded_yet' }
    const asked = rangeAsked({ query, caller, nowMs, require }, life)
    const recorded = { recorded_from: instantOf(life.fromMs), recorded_to: instantOf(life.toMs) }
    const range = withinLife(asked, life)
    if (range === undefined) {
      return { body: { ...nothing(head, 'outside_capture'), ...recorded }, emptyReason: 'outside_capture' }
    }
    const account = await slotAccountOf(stores, market, range, signal)
    const gaps = account.gaps.filter(
      ({ kind, cause }) => (query.kind ?? kind) === kind && (query.cause ?? cause) === cause,
    )
    const storedSlots = account.expectedSlots - account.missingSlots
    return {
      body: {
        ...head,
        ...recorded,
        from: instantOf(range.fromMs),
        to: instantOf(range.toMs),
        bounded_by_tier: asked.isTierBounded,
        expected_slots: account.expectedSlots,
        stored_slots: storedSlots,
        missing_slots: account.missingSlots,
        unaccounted_slots: account.unaccountedSlots,
        completeness: shareOf(storedSlots, account.expectedSlots),
        gap_count: gaps.length,
        gaps: gaps.slice(0, query.limit).map(gapEntryOf),
      },
      ...(gaps.length < account.gaps.length && gaps.length === 0 && { emptyReason: 'no_match' as const }),
    }
  },
})

function nothing(head: Pick<GapReport, 'market_id' | 'interval_ms'>, reason: string): GapReport {
  return {
    ...head,
    recorded_from: null,
    recorded_to: null,
    from: null,
    to: null,
    bounded_by_tier: false,
    expected_slots: 0,
    stored_slots: 0,
    missing_slots: 0,
    unaccounted_slots: 0,
    completeness: null,
    gap_count: 0,
    gaps: [],
    empty_reason: reason,
  }
}

/** Rounded down: only a record without any hole is 1. */
function shareOf(stored: number, expected: number): number | null {
  const one = 10 ** SHARE_DIGITS
  return expected === 0 ? null : Math.floor((stored / expected) * one) / one
}

import { z } from 'zod'
import { coverageParts, recordedPart } from '../../domain/coverage-parts.ts'
import { HOUR_MS } from '../../domain/finished-hour.ts'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { endpoint } from '../endpoint.ts'
import { CoveragePart, coveragePartOf } from '../schemas/coverage-part.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, Moment } from '../schemas/parameters.ts'
import { OptionalExchange, SymbolParameter } from '../schemas/perp-book.ts'
import { RESTRICTION, restrictedFromMember, restrictionMembers } from '../shared/perp-page.ts'
import { historyFrom, historyFromMember, requestedRange, wholeParts } from '../shared/requested-range.ts'

const DAY_MS = 24 * HOUR_MS
/** Every row of the range is counted, so it is shorter than that of a market. */
const PARTS = {
  hour: { partMs: HOUR_MS, maxDays: 31, defaultDays: 7 },
  day: { partMs: DAY_MS, maxDays: 92, defaultDays: 31 },
} as const

const PerpCoverage = z
  .object({
    exchange: z.string(),
    symbol: z.string(),
    venue: z.string().describe('the venue of the exchange'),
    capture_interval_ms: z.int(),
    by: z.enum(['hour', 'day']),
    from: Instant.describe('start of the range, in whole hours or days, but not before what the tier includes'),
    to: Instant.describe('not included'),
    ...restrictionMembers,
    parts: z.array(CoveragePart).describe('by time; hours and days in which nothing was recorded are left out'),
    empty_reason: z.string().optional(),
  })
  .meta({ id: 'PerpCoverage' })

export const getExchangeCoverage = endpoint({
  method: 'GET',
  path: '/v1/exchange/coverage',
  name: 'get_exchange_coverage',
  group: 'Exchange',
  summary: 'Get how complete the books of a perpetual future are, by hour or day',
  description: `The range is widened to whole hours or days. When it is longer than 31 days by hour or 92 days by day, only its newest days are answered. ${RESTRICTION}`,
  access: { by: 'key', scope: 'history' },
  query: z
    .object({
      symbol: SymbolParameter,
      exchange: OptionalExchange,
      by: z.enum(['hour', 'day']).default('day'),
      from: Moment.optional().describe('default: 31 days before the end by day, 7 days by hour'),
      to: Moment.optional().describe('not included; default: now'),
    })
    .check(fromBeforeTo),
  reply: PerpCoverage,
  errors: ['tier_not_allowed'],
  table: { columns: Object.keys(CoveragePart.shape), rows: ({ parts }) => parts, inRows: ['parts'] },

  async handle(request) {
    const { query, stores, perps, nowMs, signal } = request
    const { symbol, exchange: venue, by } = query
    const { partMs, maxDays, defaultDays } = PARTS[by]
    const requested = requestedRange(request, nowMs)
    if (requested.fromMs >= perps.untilMs) request.require('live_exchange_book')
    const whole = wholeParts(requested, partMs, historyFrom(request))
    const days = query.from === undefined ? defaultDays : maxDays
    const range = { fromMs: Math.max(whole.fromMs, whole.toMs - days * DAY_MS), toMs: whole.toMs }
    const intervalMs = PERP_INTERVAL_MS
    const [rows, gaps, recordedFromMs, storedFromMs] = await Promise.all([
      perps.countByPart({ venue, symbol, intervalMs, ...range }, partMs, signal),
      perps.gaps({ venue, symbol, ...range }),
      perps.recordedSince({ venue, symbol }),
      stores.storedSince.of('perp_snapshots', nowMs),
    ])
    // Gap records are kept longer than rows.
    const kept = { fromMs: Math.max(range.fromMs, storedFromMs), toMs: range.toMs }
    const recorded = kept.fromMs < kept.toMs ? recordedPart([...rows, ...gaps], intervalMs, kept) : undefined
    const stored = new Map(rows.map((part) => [part.startMs, part.stored]))
    const parts =
      recorded === undefined ? [] : coverageParts({ partMs, intervalMs, range: recorded, stored, gaps, nowMs })
    const emptyReason =
      parts.length > 0
        ? undefined
        : recordedFromMs === undefined
          ? ('not_recorded_yet' as const)
          : ('outside_capture' as const)
    return {
      body: {
        exchange: `${venue}_perp`,
        symbol,
        venue,
        capture_interval_ms: intervalMs,
        by,
        from: instantOf(range.fromMs),
        to: instantOf(range.toMs),
        ...historyFromMember(requested, recordedFromMs),
        ...restrictedFromMember(perps, range.toMs, nowMs),
        parts: parts.map(coveragePartOf),
        ...(emptyReason && { empty_reason: emptyReason }),
      },
      emptyReason,
    }
  },
})

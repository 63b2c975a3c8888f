import { z } from 'zod'
import { HOUR_MS } from '../../domain/finished-hour.ts'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { creditsOfRows, ROWS_PER_CREDIT } from '../../domain/prices.ts'
import { accountFor } from '../../domain/slot-accounting.ts'
import { NO_SLOTS, slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { proofOf } from '../../venue-registry.ts'
import { type EndpointRequest, endpoint } from '../endpoint.ts'
import { coverageOfSlots } from '../schemas/coverage.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { OptionalExchange, SymbolParameter } from '../schemas/perp-book.ts'
import {
  DOWNLOADS,
  type FoundHour,
  gapTable,
  hourFileAnswer,
  hourParameters,
  hourReportMembers,
  hourReportOf,
  recordedPart,
  requireFinished,
  requireHourStart,
  requireStored,
} from '../shared/hour-export.ts'
import { recordedPerp } from '../shared/perp-slots.ts'

const PerpHourReport = z
  .object({
    exchange: z.string(),
    symbol: z.string(),
    venue: z.string().describe('the venue of the exchange'),
    hour: Instant,
    rows: z.int().describe('books in the file, one for each slot that has a row'),
    ...hourReportMembers,
  })
  .meta({ id: 'PerpHourReport' })

const Query = z.object({ symbol: SymbolParameter, exchange: OptionalExchange, ...hourParameters })

type HourRequest = EndpointRequest<unknown, z.output<typeof Query>, undefined>

interface FoundPerpHour extends FoundHour {
  readonly venue: string
  /** The recorded part of the hour. */
  readonly range?: TimeRange
}

export const exportExchangeHour = endpoint({
  method: 'GET',
  path: '/v1/exchange/export',
  name: 'export_exchange_hour',
  group: 'Exchange',
  summary: 'Download one hour of the books of a perpetual future as a Parquet file',
  description: `The same hour always has the same bytes. The columns are those of the list of stored books. Costs 1 credit for every ${ROWS_PER_CREDIT} books, rounded up; within 24 hours the same account can download the same hour again, whole or in parts, without paying again. ${DOWNLOADS}`,
  access: { by: 'key', scope: 'history' },
  query: Query,
  reply: PerpHourReport,
  errors: ['hour_not_finished', 'no_data_at_time', 'out_of_credits', 'range_not_satisfiable'],
  table: gapTable,

  async file(request) {
    const { query } = request
    if (query.dry_run || query.part === 'gaps') return undefined
    request.require('tabular_formats')
    const found = await findHour(request)
    return hourFileAnswer(request, found, { venue: found.venue })
  },

  async handle(request) {
    const found = await findHour(request)
    const { venue, range, emptyReason, rows } = found
    const slots = range === undefined ? NO_SLOTS : slotsIn(range, PERP_INTERVAL_MS)
    return {
      body: {
        exchange: `${venue}_perp`,
        symbol: request.query.symbol,
        venue,
        hour: instantOf(request.query.hour),
        ...(await hourReportOf(request, found, coverageOfSlots(slots, rows, PERP_INTERVAL_MS))),
      },
      emptyReason,
    }
  },
})

async function findHour(request: HourRequest): Promise<FoundPerpHour> {
  const { query, stores, perps, nowMs, signal, require } = request
  const { symbol, exchange: venue, hour: hourMs } = query
  requireHourStart(hourMs)
  require({ historyAgeMs: nowMs - hourMs })
  const subject = { exchange: `${venue}_perp`, symbol }
  requireFinished(subject, hourMs, nowMs)

  const perp = { venue, symbol, intervalMs: PERP_INTERVAL_MS }
  const found = {
    venue,
    subject,
    heldAs: `perp-export:${venue}:${symbol}:${instantOf(hourMs)}`,
    hour: { ...perp, proof: proofOf(venue), hourMs },
  }
  const recorded = await recordedPerp(request, perp)
  const range = recorded && recordedPart(hourMs, recorded, nowMs)
  if (range === undefined) {
    const isKept = hourMs + HOUR_MS > (await stores.storedSince.of('perp_snapshots', nowMs))
    return { ...found, emptyReason: isKept ? 'outside_capture' : 'retention', rows: 0, credits: 0 }
  }
  const [runs, records] = await Promise.all([
    perps.missingSlots({ ...perp, ...range }, signal),
    perps.gaps({ ...perp, ...range }),
  ])
  const account = accountFor(slotsIn(range, PERP_INTERVAL_MS), runs, records)
  requireStored(subject, hourMs, nowMs, account)
  const rows = account.expectedSlots - account.missingSlots
  return { ...found, account, range, rows, credits: creditsOfRows(rows) }
}

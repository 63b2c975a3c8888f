import { z } from 'zod'
import { TOKENS } from '../../domain/day-file.ts'
import { HOUR_MS } from '../../domain/finished-hour.ts'
import { creditsOfRows, ROWS_PER_CREDIT } from '../../domain/prices.ts'
import { NO_SLOTS, slotsIn } from '../../domain/slot-range.ts'
import { overlapOf, type TimeRange } from '../../domain/time-range.ts'
import { RedisUnavailable } from '../../stores/engines/redis-connection.ts'
import { proofOf } from '../../venue-registry.ts'
import { type EndpointRequest, endpoint } from '../endpoint.ts'
import { coverageOfSlots } from '../schemas/coverage.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { MarketParams } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import {
  beingCorrected,
  DOWNLOADS,
  type FoundHour,
  gapTable,
  hourFileAnswer,
  hourParameters,
  hourReportMembers,
  hourReportOf,
  requireFinished,
  requireHourStart,
  requireStored,
} from '../shared/hour-export.ts'
import { accountForSlots, recordedRange, whyOutside } from '../shared/recorded-range.ts'
import type { Stores } from '../stores.ts'

const HourReport = z
  .object({
    market_id: z.string(),
    slug: z.string(),
    venue: VenueName,
    hour: Instant,
    revision: z.int().describe('1, or more when the rows of the hour were corrected; see `GET /v1/corrections`'),
    rows: z.int().describe('token snapshots in the file, two for each slot that has a row'),
    ...hourReportMembers,
  })
  .meta({ id: 'HourReport' })

const Query = z.object(hourParameters)

type HourRequest = EndpointRequest<z.output<typeof MarketParams>, z.output<typeof Query>, undefined>

interface FoundMarketHour extends FoundHour {
  readonly market: FoundMarket
  readonly revision: number
  /** The recorded part of the hour. */
  readonly range?: TimeRange
}

export const exportHour = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/export',
  name: 'export_hour',
  group: 'History',
  summary: 'Download one hour of a market as a Parquet file',
  description: `The same revision of an hour always has the same bytes. \`X-Revision\`, and after a correction the file name and the \`ETag\`, tell the revision; accounts that bought an earlier revision get the new one free of charge. The columns are those of the snapshots list; \`X-Venue\` is the venue of the market. Costs 1 credit for every ${ROWS_PER_CREDIT} token rows, rounded up; within 24 hours the same account can download the same hour again, whole or in parts, without paying again. ${DOWNLOADS}`,
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  query: Query,
  reply: HourReport,
  errors: ['market_not_found', 'hour_not_finished', 'no_data_at_time', 'out_of_credits', 'range_not_satisfiable'],
  table: gapTable,

  async file(request) {
    const { query, stores } = request
    if (query.dry_run || query.part === 'gaps') return undefined
    request.require('tabular_formats')
    const found = await findHour(request)
    const { market, revision } = found
    const answer = await hourFileAnswer(request, found, { venue: market.venue, revision })
    if (!('file' in answer)) return answer
    // Rows that were replaced while the file was written would be in it in part.
    const now = await stores.corrections.revisionOf({ marketId: market.id, hourMs: query.hour })
    if (now.isBeingCorrected || now.revision !== revision) throw beingCorrected(named(market), query.hour)
    return answer
  },

  async handle(request) {
    const found = await findHour(request)
    const { market, revision, range, emptyReason, rows } = found
    const { captureIntervalMs: intervalMs } = market
    const slots = range === undefined ? NO_SLOTS : slotsIn(range, intervalMs)
    return {
      body: {
        market_id: market.id,
        slug: market.slug,
        venue: market.venue,
        hour: instantOf(request.query.hour),
        revision,
        ...(await hourReportOf(request, found, coverageOfSlots(slots, rows / TOKENS, intervalMs))),
      },
      emptyReason,
    }
  },
})

async function findHour({ params, query, stores, nowMs, signal, require }: HourRequest): Promise<FoundMarketHour> {
  const { hour: hourMs } = query
  requireHourStart(hourMs)
  const market = await findMarket(stores, params.id, nowMs)
  require({ category: market.category })
  require({ historyAgeMs: nowMs - hourMs })
  requireFinished(named(market), hourMs, nowMs)
  const { revision, correctedAtMs, isBeingCorrected } = await stores.corrections.revisionOf({
    marketId: market.id,
    hourMs,
  })
  if (isBeingCorrected) throw beingCorrected(named(market), hourMs)

  const [recorded, receivedToMs] = await Promise.all([recordedRange(stores, market, nowMs), receivedTo(stores, market)])
  const hour = { fromMs: hourMs, toMs: hourMs + HOUR_MS }
  const range = recorded && overlapOf(hour, { ...recorded, toMs: Math.max(recorded.toMs, receivedToMs) })
  const heldAs = `export:${market.id}:${instantOf(hourMs)}`
  const found = { market, revision, correctedAtMs, subject: { market_id: market.id }, heldAs }
  const file = {
    marketId: market.id,
    tokenIds: market.tokenIds,
    proof: proofOf(market.venue),
    intervalMs: market.captureIntervalMs,
    hourMs,
    revision,
  }
  if (range === undefined) {
    const emptyReason = await whyOutside(stores, hour, nowMs)
    return { ...found, hour: { ...file, suspect: [] }, emptyReason, rows: 0, credits: 0 }
  }
  const account = await accountForSlots(stores, market, range, signal)
  requireStored(named(market), hourMs, nowMs, account)
  const rows = TOKENS * (account.expectedSlots - account.missingSlots)
  const suspect = account.gaps.filter(({ kind }) => kind === 'suspect')
  return { ...found, hour: { ...file, suspect }, account, range, rows, credits: creditsOfRows(rows) }
}

/**
 * The end of the newest row in Redis, which has rows before ClickHouse does: up to there they belong to the hour, so that
 * it is not sold without its end. 0 when Redis knows nothing of the market any more.
 */
async function receivedTo({ newestRows }: Stores, { id, captureIntervalMs }: FoundMarket): Promise<number> {
  try {
    const newest = await newestRows.newestRow(id)
    return newest === undefined ? 0 : (newest.slot + 1) * captureIntervalMs
  } catch (error) {
    if (error instanceof RedisUnavailable) return 0
    throw error
  }
}

function named({ slug }: FoundMarket): { readonly slug: string } {
  return { slug }
}

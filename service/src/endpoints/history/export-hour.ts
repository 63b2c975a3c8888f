import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { creditsOf, HOLES_FILL_WITHIN_MS, ROWS_PER_CREDIT, TOKENS } from '../../domain/day-file.ts'
import { availableAtMs, HOUR_MS } from '../../domain/finished-hour.ts'
import type { SlotAccounting } from '../../domain/slot-accounting.ts'
import { NO_SLOTS, slotsIn } from '../../domain/slot-range.ts'
import { overlapOf, type TimeRange } from '../../domain/time-range.ts'
import type { Revision } from '../../stores/books/corrections.ts'
import { proofOf } from '../../venue-registry.ts'
import { type EmptyReason, type EndpointRequest, endpoint } from '../endpoint.ts'
import { Coverage, coverageOfSlots } from '../schemas/coverage.ts'
import { GapEntry, gapEntryOf } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Flag, MarketParams, Moment } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import { VenueName } from '../schemas/venue.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import { accountForSlots, recordedRange, whyOutside } from '../shared/recorded-range.ts'

const RETRY_SECONDS = 60
const PARQUET = 'application/vnd.apache.parquet'

const HourReport = z
  .object({
    market_id: z.string(),
    slug: z.string(),
    venue: VenueName,
    hour: Instant,
    revision: z.int().describe('1, or more when the rows of the hour were corrected; see `GET /v1/corrections`'),
    rows: z.int().describe('token snapshots in the file, two for each slot that has a row'),
    credits: z.int().describe(`cost of the file: 1 credit for every ${ROWS_PER_CREDIT} rows, rounded up`),
    bytes: z.int().nullable().describe('size of the file; null until it is written'),
    sha256: z.string().nullable().describe('null until the file is written'),
    coverage: Coverage.describe('of the recorded slots of the hour'),
    gap_count: z.int(),
    gaps: z.array(GapEntry).describe('gaps of the hour'),
    empty_reason: z.string().optional(),
  })
  .meta({ id: 'HourReport' })

const Query = z.object({
  hour: Moment.describe('start of the hour, such as 2026-11-15T12:00:00Z; it must have ended at least 5 minutes ago'),
  part: z
    .enum(['snapshots', 'gaps'])
    .default('snapshots')
    .describe('snapshots: the Parquet file. gaps: its gaps as JSON, free of charge'),
  dry_run: Flag.default(false).describe(
    'true returns rows, credits, gaps and, once the file exists, its size and hash; free of charge',
  ),
})

type HourRequest = EndpointRequest<z.output<typeof MarketParams>, z.output<typeof Query>, undefined>

interface FoundHour {
  readonly market: FoundMarket
  readonly hourMs: number
  readonly revision: Revision
  /** Undefined when nothing of the hour is recorded. */
  readonly account?: SlotAccounting
  /** The recorded part of the hour. */
  readonly range?: TimeRange
  readonly emptyReason?: EmptyReason
  readonly rows: number
  readonly credits: number
}

export const exportHour = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/export',
  name: 'export_hour',
  group: 'History',
  summary: 'Download one hour of a market as a Parquet file',
  description: `The same revision of an hour always has the same bytes. \`X-Revision\`, and after a correction the file name and the \`ETag\`, tell the revision; accounts that bought an earlier revision get the new one free of charge. The columns are those of the snapshots list; \`X-Venue\` is the venue of the market. Costs 1 credit for every ${ROWS_PER_CREDIT} token rows, rounded up; within 24 hours the same account can download the same hour again, whole or in parts, without paying again. Supports \`Range\`, \`If-Range\` and \`If-None-Match\`; \`HEAD\` writes no file and has no \`ETag\` until the file is written; \`ETag\` and \`X-Sha256\` contain the hash of the whole file. \`X-Gap-Count\` is the number of gaps of the hour, \`part=gaps\` lists them. Needs the scale or enterprise tier, except for \`dry_run=true\` and \`part=gaps\`.`,
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  query: Query,
  reply: HourReport,
  errors: ['market_not_found', 'hour_not_finished', 'no_data_at_time', 'out_of_credits', 'range_not_satisfiable'],
  table: {
    columns: Object.keys(GapEntry.shape),
    rows: ({ gaps }) => gaps,
    inRows: ['gaps'],
  },

  async file(request) {
    const { query, stores, callerContext } = request
    if (query.dry_run || query.part === 'gaps') return undefined
    request.require('tabular_formats')
    const { market, hourMs, revision: found, account, emptyReason, rows, credits } = await findHour(request)
    const { revision, correctedAtMs } = found
    if (account === undefined || rows === 0) {
      throw new ApiError('no_data_at_time', 'This hour has no rows; request it with part=gaps to see why.', {
        details: { market_id: market.id, reason: emptyReason ?? 'gap' },
      })
    }
    const aside = { venue: market.venue, rowCount: rows, gapCount: account.gaps.length, revision }
    const isMade =
      !request.isHead || (await stores.hourFiles.peek({ marketId: market.id, hourMs, revision })) !== undefined
    // Writing a file is work that HEAD does not pay for.
    if (!isMade) return { pieces: nothing(), rowCount: rows, envelope: {}, credits, aside }
    const heldAs = `export:${market.id}:${instantOf(hourMs)}`
    await callerContext?.requireCredits(credits, heldAs, correctedAtMs)
    const { path, name, sha256 } = await stores.hourFiles.get({
      marketId: market.id,
      tokenIds: market.tokenIds,
      proof: proofOf(market.venue),
      intervalMs: market.captureIntervalMs,
      hourMs,
      revision,
      suspect: account.gaps.filter(({ kind }) => kind === 'suspect'),
    })
    // Rows that were replaced while the file was written would be in it in part.
    const now = await stores.corrections.revisionOf({ marketId: market.id, hourMs })
    if (now.isBeingCorrected || now.revision !== revision) throw beingCorrected(market, hourMs)
    return {
      file: { path, name, sha256, revision, type: PARQUET },
      heldAs,
      freeIfBoughtBeforeMs: correctedAtMs,
      credits,
      aside,
    }
  },

  async handle(request) {
    const { market, hourMs, revision: found, range, account, emptyReason, rows, credits } = await findHour(request)
    const { revision } = found
    const made = await request.stores.hourFiles.peek({ marketId: market.id, hourMs, revision })
    const slots = range === undefined ? NO_SLOTS : slotsIn(range, market.captureIntervalMs)
    const coverage = coverageOfSlots(slots, rows / TOKENS, market.captureIntervalMs)
    return {
      body: {
        market_id: market.id,
        slug: market.slug,
        venue: market.venue,
        hour: instantOf(hourMs),
        revision,
        rows,
        credits,
        bytes: made?.byteCount ?? null,
        sha256: made?.sha256 ?? null,
        coverage,
        gap_count: account?.gaps.length ?? 0,
        gaps: (account?.gaps ?? []).map(gapEntryOf),
        ...(emptyReason && { empty_reason: emptyReason }),
      },
      emptyReason,
    }
  },
})

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function findHour({ params, query, stores, nowMs, signal, require }: HourRequest): Promise<FoundHour> {
  const { hour: hourMs } = query
  if (hourMs % HOUR_MS !== 0) {
    const startMs = hourMs - (hourMs % HOUR_MS)
    throw invalidParameter(
      'hour',
      `must be the start of an hour in UTC, such as ${instantOf(startMs)}, got ${instantOf(hourMs)}`,
    )
  }
  const market = await findMarket(stores, params.id, nowMs)
  require({ category: market.category })
  require({ historyAgeMs: nowMs - hourMs })
  const settledAtMs = availableAtMs(hourMs)
  if (nowMs < settledAtMs) throw notOver(market, hourMs, nowMs)
  const revision = await stores.corrections.revisionOf({ marketId: market.id, hourMs })
  if (revision.isBeingCorrected) throw beingCorrected(market, hourMs)

  const recorded = await recordedRange(stores, market, nowMs)
  const hour = { fromMs: hourMs, toMs: hourMs + HOUR_MS }
  const range = recorded && overlapOf(hour, recorded)
  if (range === undefined) {
    const emptyReason = await whyOutside(stores, hour, nowMs)
    return { market, hourMs, revision, emptyReason, rows: 0, credits: 0 }
  }
  const account = await accountForSlots(stores, market, range, signal)
  if (account.unaccountedSlots > 0 && nowMs - settledAtMs < HOLES_FILL_WITHIN_MS)
    throw stillBeingStored(market, hourMs, account.unaccountedSlots)
  const rows = TOKENS * (account.expectedSlots - account.missingSlots)
  return { market, hourMs, revision, account, range, rows, credits: creditsOf(rows) }
}

function notOver({ slug }: FoundMarket, hourMs: number, nowMs: number): ApiError {
  const availableMs = availableAtMs(hourMs)
  const waitSeconds = Math.ceil((availableMs - nowMs) / 1_000)
  const minutes = Math.ceil(waitSeconds / 60)
  return new ApiError(
    'hour_not_finished',
    `The file of an hour is available 5 minutes after its end. The hour ${instantOf(hourMs)} is available at ${clockTime(availableMs)} UTC (in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}).`,
    {
      retryAfterSeconds: waitSeconds,
      details: { slug, hour: instantOf(hourMs), available_at: instantOf(availableMs) },
    },
  )
}

/** How long it takes depends on ClickHouse, so there is no time to promise. */
function stillBeingStored({ slug }: FoundMarket, hourMs: number, slots: number): ApiError {
  return new ApiError(
    'hour_not_finished',
    `${slots} ${slots === 1 ? 'slot' : 'slots'} of the hour ${instantOf(hourMs)} are not stored yet. Try again in ${RETRY_SECONDS} seconds.`,
    { retryAfterSeconds: RETRY_SECONDS, details: { slug, hour: instantOf(hourMs), available_at: null } },
  )
}

function beingCorrected({ slug }: FoundMarket, hourMs: number): ApiError {
  return new ApiError(
    'hour_not_finished',
    `The rows of the hour ${instantOf(hourMs)} are being corrected. Try again in ${RETRY_SECONDS} seconds.`,
    { retryAfterSeconds: RETRY_SECONDS, details: { slug, hour: instantOf(hourMs), available_at: null } },
  )
}

/** 2026-11-15 13:05 */
function clockTime(atMs: number): string {
  return instantOf(atMs).slice(0, 16).replace('T', ' ')
}

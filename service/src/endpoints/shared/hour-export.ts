import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { HOLES_FILL_WITHIN_MS } from '../../domain/day-file.ts'
import { availableAtMs, HOUR_MS } from '../../domain/finished-hour.ts'
import { ROWS_PER_CREDIT } from '../../domain/prices.ts'
import type { SlotAccounting } from '../../domain/slot-accounting.ts'
import { overlapOf, type TimeRange } from '../../domain/time-range.ts'
import type { ExportedHour } from '../../stores/books/exported-hour.ts'
import type { EmptyReason, EndpointRequest, FileAnswer, StoredFileAnswer } from '../endpoint.ts'
import { Coverage } from '../schemas/coverage.ts'
import { GapEntry, gapEntryOf } from '../schemas/gap.ts'
import { instantOf } from '../schemas/instant.ts'
import { Flag, Moment } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'

const RETRY_SECONDS = 60
const PARQUET = 'application/vnd.apache.parquet'

/** Parameters of every export. */
export const hourParameters = {
  hour: Moment.describe('start of the hour, such as 2026-11-15T12:00:00Z; it must have ended at least 5 minutes ago'),
  part: z
    .enum(['snapshots', 'gaps'])
    .default('snapshots')
    .describe('snapshots: the Parquet file. gaps: its gaps as JSON, free of charge'),
  dry_run: Flag.default(false).describe(
    'true returns rows, credits, gaps and, once the file exists, its size and hash; free of charge',
  ),
}

/** Members of every report about an hour. */
export const hourReportMembers = {
  credits: z.int().describe(`cost of the file: 1 credit for every ${ROWS_PER_CREDIT} rows, rounded up`),
  bytes: z.int().nullable().describe('size of the file; null until it is written'),
  sha256: z.string().nullable().describe('null until the file is written'),
  coverage: Coverage.describe('of the recorded slots of the hour'),
  gap_count: z.int(),
  gaps: z.array(GapEntry).describe('gaps of the hour'),
  empty_reason: z.string().optional(),
}

/** Texts about files that all exports have in common. */
export const DOWNLOADS = `Supports \`Range\`, \`If-Range\` and \`If-None-Match\`; \`HEAD\` writes no file and has no \`ETag\` until the file is written; \`ETag\` and \`X-Sha256\` contain the hash of the whole file. \`X-Gap-Count\` is the number of gaps of the hour, \`part=gaps\` lists them. Needs the scale or enterprise tier, except for \`dry_run=true\` and \`part=gaps\`.`

export const gapTable = {
  columns: Object.keys(GapEntry.shape),
  rows: ({ gaps }: { readonly gaps: readonly z.infer<typeof GapEntry>[] }) => gaps,
  inRows: ['gaps'],
}

/** An hour that may be exported. */
export interface FoundHour {
  readonly hour: ExportedHour
  /** Id in the ledger. */
  readonly heldAs: string
  /** Members of an error that name the market or perp. */
  readonly subject: Readonly<Record<string, string>>
  /** Undefined when nothing of the hour is recorded. */
  readonly account?: SlotAccounting
  readonly emptyReason?: EmptyReason
  readonly rows: number
  readonly credits: number
  readonly correctedAtMs?: number | undefined
}

type HourRequest = Pick<EndpointRequest<unknown, unknown, unknown>, 'stores' | 'callerContext' | 'isHead'>

/** The file of an hour, written if it does not exist; without rows there is none. */
export async function hourFileAnswer(
  { stores, callerContext, isHead }: HourRequest,
  { hour, heldAs, subject, account, emptyReason, rows, credits, correctedAtMs }: FoundHour,
  members: Readonly<Record<string, string | number>>,
): Promise<StoredFileAnswer | FileAnswer> {
  if (account === undefined || rows === 0) {
    throw new ApiError('no_data_at_time', 'This hour has no rows; request it with part=gaps to see why.', {
      details: { ...subject, reason: emptyReason ?? 'gap' },
    })
  }
  const aside = { ...members, rowCount: rows, gapCount: account.gaps.length }
  const isMade = !isHead || (await stores.hourFiles.peek(hour)) !== undefined
  // Writing a file is work that HEAD does not pay for.
  if (!isMade) return { pieces: nothing(), rowCount: rows, envelope: {}, credits, aside }
  await callerContext?.requireCredits(credits, heldAs, correctedAtMs)
  const { path, name, sha256 } = await stores.hourFiles.get(hour)
  const revision = 'revision' in hour ? hour.revision : 1
  return {
    file: { path, name, sha256, revision, type: PARQUET },
    heldAs,
    freeIfBoughtBeforeMs: correctedAtMs,
    credits,
    aside,
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** What a report says about the file and the gaps of an hour. */
export async function hourReportOf(
  { stores }: Pick<HourRequest, 'stores'>,
  found: FoundHour,
  coverage: z.infer<typeof Coverage>,
) {
  const { hour, account, emptyReason, rows, credits } = found
  const made = await stores.hourFiles.peek(hour)
  return {
    rows,
    credits,
    bytes: made?.byteCount ?? null,
    sha256: made?.sha256 ?? null,
    coverage,
    gap_count: account?.gaps.length ?? 0,
    gaps: (account?.gaps ?? []).map(gapEntryOf),
    ...(emptyReason && { empty_reason: emptyReason }),
  }
}

export function requireHourStart(hourMs: number): void {
  if (hourMs % HOUR_MS === 0) return
  const startMs = hourMs - (hourMs % HOUR_MS)
  throw invalidParameter(
    'hour',
    `must be the start of an hour in UTC, such as ${instantOf(startMs)}, got ${instantOf(hourMs)}`,
  )
}

/**
 * The part of an hour that is recorded, of something that does not end. Slots after the last stored one may only be
 * late; they belong to the hour, so that it is not sold without them.
 */
export function recordedPart(hourMs: number, recorded: TimeRange, nowMs: number): TimeRange | undefined {
  const hour = { fromMs: hourMs, toMs: hourMs + HOUR_MS }
  const range = overlapOf(hour, recorded)
  const mayBeLate = nowMs - hour.toMs < HOLES_FILL_WITHIN_MS
  return range && mayBeLate ? { ...range, toMs: hour.toMs } : range
}

type Subject = FoundHour['subject']

export function requireFinished(subject: Subject, hourMs: number, nowMs: number): void {
  const availableMs = availableAtMs(hourMs)
  if (nowMs >= availableMs) return
  const waitSeconds = Math.ceil((availableMs - nowMs) / 1_000)
  const minutes = Math.ceil(waitSeconds / 60)
  throw new ApiError(
    'hour_not_finished',
    `The file of an hour is available 5 minutes after its end. The hour ${instantOf(hourMs)} is available at ${clockTime(availableMs)} UTC (in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}).`,
    {
      retryAfterSeconds: waitSeconds,
      details: { ...subject, hour: instantOf(hourMs), available_at: instantOf(availableMs) },
    },
  )
}

/** How long it takes depends on ClickHouse, so there is no time to promise. */
export function requireStored(subject: Subject, hourMs: number, nowMs: number, { unaccountedSlots }: SlotAccounting) {
  if (unaccountedSlots === 0 || nowMs - availableAtMs(hourMs) >= HOLES_FILL_WITHIN_MS) return
  const slots = `${unaccountedSlots} ${unaccountedSlots === 1 ? 'slot' : 'slots'}`
  throw notReady(subject, hourMs, `${slots} of the hour ${instantOf(hourMs)} are not stored yet.`)
}

export function beingCorrected(subject: Subject, hourMs: number): ApiError {
  return notReady(subject, hourMs, `The rows of the hour ${instantOf(hourMs)} are being corrected.`)
}

function notReady(subject: Subject, hourMs: number, why: string): ApiError {
  return new ApiError('hour_not_finished', `${why} Try again in ${RETRY_SECONDS} seconds.`, {
    retryAfterSeconds: RETRY_SECONDS,
    details: { ...subject, hour: instantOf(hourMs), available_at: null },
  })
}

/** 2026-11-15 13:05 */
function clockTime(atMs: number): string {
  return instantOf(atMs).slice(0, 16).replace('T', ' ')
}

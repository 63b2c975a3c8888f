import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { creditsOf, dayText, ROWS_PER_CREDIT } from '../../domain/day-file.ts'
import { GAP_KINDS } from '../../domain/rows/gap.ts'
import type { StoredFile } from '../../stores/files/files.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { VenueName } from '../schemas/venue.ts'
import type { Stores } from '../stores.ts'

export const FileEntry = z
  .object({
    id: z.string().describe('name of the file without `.parquet`; every revision has its own'),
    kind: z
      .enum(['series', 'market'])
      .describe('series: all windows of a coin and timeframe. market: one other market'),
    day: z.string().meta({ format: 'date' }).describe('day of the slots, in UTC'),
    revision: z.int().describe('1, or more when rows of the day were corrected; the newest replaces the others'),
    category: z.string(),
    coin: z.string().nullable(),
    timeframe: z.string(),
    market_id: z.string().nullable().describe('null for a series'),
    markets: z.int().describe('number of markets in the file'),
    rows: z.int().describe('token snapshots in the file, two for each slot that has a row'),
    bytes: z.int(),
    sha256: z.string(),
    credits: z
      .int()
      .describe(`cost of the file, once: 1 credit for every ${ROWS_PER_CREDIT} rows, rounded up; revisions are free`),
    first_at: Instant.describe('first slot with a row'),
    last_at: Instant.describe('last slot with a row'),
    gaps: z
      .array(
        z.object({
          cause: z.string(),
          kind: z.enum(GAP_KINDS),
          gaps: z.int(),
          slots: z.int(),
        }),
      )
      .describe('gaps of all its markets, by cause'),
    made_at: Instant,
    venue: VenueName,
  })
  .meta({ id: 'FileEntry' })

export const FileParams = z.object({
  id: z
    .string()
    .max(200)
    .describe('id of the file, from `GET /v1/files`')
    .meta({ examples: ['polymarket-btc-5m-2026-11-15-r1'] }),
})

export async function findFile({ files }: Pick<Stores, 'files'>, id: string): Promise<StoredFile> {
  const found = await files.find(id)
  if (found !== undefined) return found
  throw new ApiError('file_not_found', 'No file has this id. GET /v1/files lists all files.', { details: { id } })
}

export function fileEntryOf(file: StoredFile): z.input<typeof FileEntry> {
  return {
    id: file.id,
    kind: file.kind,
    day: dayText(file.dayMs),
    revision: file.revision,
    category: file.category,
    coin: file.coin === '' ? null : file.coin,
    timeframe: file.timeframe,
    market_id: file.kind === 'series' ? null : file.subject,
    markets: file.marketIds.length,
    rows: file.rows,
    bytes: file.bytes,
    sha256: file.sha256,
    credits: creditsOf(file.rows),
    first_at: instantOf(file.firstAtMs),
    last_at: instantOf(file.lastAtMs),
    gaps: [...file.gaps],
    made_at: instantOf(file.madeAtMs),
    venue: file.venue,
  }
}

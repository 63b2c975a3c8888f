import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { dayText, FILE_KINDS, isSeries } from '../../domain/day-file.ts'
import { creditsOfRows, ROWS_PER_CREDIT } from '../../domain/prices.ts'
import { GAP_KINDS, TRADES_KIND } from '../../domain/rows/gap.ts'
import type { StoredFile } from '../../stores/files/files.ts'
import { DEFAULT_VENUE } from '../../venue-registry.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import type { Stores } from '../stores.ts'

export const FileEntry = z
  .object({
    id: z.string().describe('name of the file without `.parquet`; every revision has its own'),
    kind: z
      .enum(FILE_KINDS)
      .describe(
        'series: books of all windows of a coin and timeframe. market: books of one other market. trades: of either. perp_books, perp_trades, perp_contexts: of a perpetual future; contexts are funding, open interest and mark, oracle and mid price. prices: of a coin from one source. gaps: of all markets or perpetual futures of a venue',
      ),
    day: z.string().meta({ format: 'date' }).describe('day of its slots and times, in UTC'),
    revision: z.int().describe('1, or more when rows of the day were corrected; the newest replaces the others'),
    category: z.string().describe('empty for a file of gaps, which has every category'),
    coin: z.string().nullable(),
    timeframe: z.string().describe('empty for other files than books and trades of markets'),
    market_id: z.string().nullable().describe('null for a file that is not about one market'),
    markets: z.int().describe('number of markets in the file'),
    rows: z
      .int()
      .describe('rows in the file; books of markets have two for each slot that has a row, one for each token'),
    bytes: z.int(),
    sha256: z.string(),
    credits: z
      .int()
      .describe(`cost of the file, once: 1 credit for every ${ROWS_PER_CREDIT} rows, rounded up; revisions are free`),
    first_at: Instant.describe('first slot or time with a row'),
    last_at: Instant.describe('last slot or time with a row'),
    gaps: z
      .array(
        z.object({
          cause: z.string(),
          kind: z.enum([...GAP_KINDS, TRADES_KIND]),
          gaps: z.int(),
          slots: z.int(),
        }),
      )
      .describe('gaps of all its markets, by cause. trades: trades may be missing; the other kinds are about books'),
    made_at: Instant,
    venue: z
      .string()
      .describe('venue of the market or perpetual future, or the source of prices')
      .meta({ examples: [DEFAULT_VENUE] }),
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
    market_id: marketIdOf(file),
    markets: file.markets,
    rows: file.rows,
    bytes: file.bytes,
    sha256: file.sha256,
    credits: creditsOfRows(file.rows),
    first_at: instantOf(file.firstAtMs),
    last_at: instantOf(file.lastAtMs),
    gaps: [...file.gaps],
    made_at: instantOf(file.madeAtMs),
    venue: file.venue,
  }
}

function marketIdOf({ kind, coin, timeframe, firstMarketId }: StoredFile): string | null {
  const isOfMarket = kind === 'market' || (kind === 'trades' && !isSeries({ coin, timeframe }))
  return isOfMarket ? (firstMarketId ?? null) : null
}

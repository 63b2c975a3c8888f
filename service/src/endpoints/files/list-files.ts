import { z } from 'zod'
import { BOOK_KINDS, FILE_KINDS, type FileKind } from '../../domain/day-file.ts'
import { PRICE_SOURCES } from '../../domain/price.ts'
import { BINARY_VENUES, DEFAULT_VENUE, PERP_VENUES } from '../../venue-registry.ts'
import { endpoint } from '../endpoint.ts'
import {
  CoinFilter,
  ConditionId,
  Flag,
  fromBeforeTo,
  Moment,
  oneVenue,
  TimeframeFilter,
  wholeNumber,
} from '../schemas/parameters.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { FileEntry, fileEntryOf } from './file-entry.ts'

const ALL = 'all'
const VENUES = [...BINARY_VENUES, ...PERP_VENUES].map(({ id }) => id)

const Query = z
  .object({
    kind: z
      .enum([...FILE_KINDS, ALL])
      .optional()
      .describe(
        'only files of this kind; `all` for every kind. Default: `series` and `market`, the books of binary markets, unless `venue` has no such markets',
      ),
    coin: CoinFilter.optional(),
    timeframe: TimeframeFilter.optional(),
    market: ConditionId.optional().describe('only files that contain this market'),
    from: Moment.optional().describe('only days that start at this time or later'),
    to: Moment.optional().describe('only days that start before this time'),
    all_revisions: Flag.default(false).describe('true lists former revisions too'),
    venue: z
      .enum([...VENUES, ...PRICE_SOURCES, ALL])
      .optional()
      .describe(
        `only files of this venue, or of this source of prices; \`all\` for every one. Default: every one when \`kind\` is given, else ${DEFAULT_VENUE}`,
      ),
    limit: wholeNumber(1, 1_000).default(100),
    cursor: Cursor.optional(),
  })
  .check(fromBeforeTo)

const Position = z.tuple([CursorTime, z.string()])

export const listFiles = endpoint({
  method: 'GET',
  path: '/v1/files',
  name: 'list_files',
  group: 'Files',
  summary: 'List the files of finished days',
  description:
    'The newest day first; free of charge. The file of a day is made some minutes after its end, or up to a day later when rows are still being stored. Without `kind` the books of binary markets are listed: one file has all windows of a coin and timeframe, such as all 5-minute windows of BTC; every other market has a file of its own. `kind=all` lists trades, perpetual futures, prices and gaps too. The same revision always has the same bytes.',
  access: { by: 'key', scope: 'history' },
  query: Query,
  reply: z.object({ files: z.array(FileEntry), next_cursor: NextCursor }).meta({ id: 'Files' }),
  errors: [],
  table: {
    columns: Object.keys(FileEntry.shape),
    rows: ({ files }) => files,
    inRows: ['files'],
  },

  async handle({ query, stores }) {
    const { coin, timeframe, market: marketId, from: fromMs, to: toMs, all_revisions: all, limit, cursor } = query
    const venue = oneVenue(query.venue ?? (query.kind === undefined ? DEFAULT_VENUE : ALL))
    const kinds = kindsOf(query.kind, venue)
    const list = `files ${coin} ${timeframe} ${marketId} ${fromMs} ${toMs} ${all} ${venue} ${kinds?.join() ?? ALL}`
    const position = decodeCursor(cursor, list, Position)
    const before = position && { dayMs: position[0], id: position[1] }
    const filters = { kinds, venue, coin, timeframe, marketId, fromMs, toMs, isNewestOnly: !all }
    const found = await stores.files.list({ ...filters, before, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const isLast = found.length <= limit || last === undefined
    return {
      body: {
        files: page.map(fileEntryOf),
        next_cursor: isLast ? null : encodeCursor(list, [last.dayMs, last.id]),
      },
      ...(page.length === 0 && { emptyReason: 'no_match' as const }),
    }
  },
})

/** Undefined for every kind. Requests of the time before there were other kinds than books get the same answer. */
function kindsOf(kind: FileKind | typeof ALL | undefined, venue: string | undefined): readonly FileKind[] | undefined {
  if (kind !== undefined) return kind === ALL ? undefined : [kind]
  return venue === undefined || BINARY_VENUES.some(({ id }) => id === venue) ? BOOK_KINDS : undefined
}

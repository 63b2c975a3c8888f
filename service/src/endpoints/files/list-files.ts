import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import {
  CoinFilter,
  ConditionId,
  Flag,
  fromBeforeTo,
  Moment,
  oneVenue,
  TimeframeFilter,
  VenueFilter,
  wholeNumber,
} from '../schemas/parameters.ts'
import { Cursor, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { FileEntry, fileEntryOf } from './file-entry.ts'

/** The last time that PostgreSQL and JavaScript both know. */
const MAX_TIME_MS = 8_640_000_000_000_000

const Query = z
  .object({
    coin: CoinFilter.optional(),
    timeframe: TimeframeFilter.optional(),
    market: ConditionId.optional().describe('only files that contain this market'),
    from: Moment.optional().describe('only days that start at this time or later'),
    to: Moment.optional().describe('only days that start before this time'),
    all_revisions: Flag.default(false).describe('true lists former revisions too'),
    venue: VenueFilter,
    limit: wholeNumber(1, 1_000).default(100),
    cursor: Cursor.optional(),
  })
  .check(fromBeforeTo)

const Position = z.tuple([z.int().min(0).max(MAX_TIME_MS), z.string()])

export const listFiles = endpoint({
  method: 'GET',
  path: '/v1/files',
  name: 'list_files',
  group: 'Files',
  summary: 'List the files of finished days',
  description:
    'The newest day first; free of charge. The file of a day is made some minutes after its end, or up to a day later when rows are still being stored. One file has all windows of a coin and timeframe, such as all 5-minute windows of BTC; every other market has a file of its own. The same revision always has the same bytes.',
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
    const venue = oneVenue(query.venue)
    const list = `files ${coin} ${timeframe} ${marketId} ${fromMs} ${toMs} ${all} ${venue}`
    const position = decodeCursor(cursor, list, Position)
    const before = position && { dayMs: position[0], id: position[1] }
    const filters = { venue, coin, timeframe, marketId, fromMs, toMs, isNewestOnly: !all }
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

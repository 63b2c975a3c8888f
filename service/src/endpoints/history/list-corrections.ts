import { z } from 'zod'
import type { Correction } from '../../stores/books/corrections.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { ConditionId, fromBeforeTo, Moment, wholeNumber } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'

const CorrectionEntry = z
  .object({
    market_id: z.string(),
    hour: Instant.describe('start of the hour'),
    revision: z.int().describe('the revision that the correction made; the first revision of an hour is 1'),
    corrected_at: Instant,
    reason: z.string(),
    rows_changed: z.int().describe('slots whose row was added, removed or changed'),
    gaps_changed: z.int(),
    trades_changed: z.int(),
    venue: VenueName.describe('venue of the market; empty when the catalogue no longer has it'),
  })
  .meta({ id: 'Correction' })

const Query = z
  .object({
    market: ConditionId.optional().describe('only corrections of this market'),
    from: Moment.optional().describe('only corrections made at this time or later'),
    to: Moment.optional().describe('only corrections made before this time'),
    limit: wholeNumber(1, 1_000).default(100),
    cursor: Cursor.optional(),
  })
  .check(fromBeforeTo)

const Position = z.tuple([CursorTime, z.int()])

export const listCorrections = endpoint({
  method: 'GET',
  path: '/v1/corrections',
  name: 'list_corrections',
  group: 'Public',
  summary: 'List hours whose rows were corrected',
  description:
    'Newest first. Rows of a finished hour change only when they are produced again from what the venue sent, for example after an error in a decoder was corrected. The revision of the hour then increases, and accounts that bought the file of the hour can download the new one free of charge.',
  access: 'public',
  query: Query,
  reply: z.object({ corrections: z.array(CorrectionEntry), next_cursor: NextCursor }).meta({ id: 'Corrections' }),
  errors: [],
  table: {
    columns: Object.keys(CorrectionEntry.shape),
    rows: ({ corrections }) => corrections,
    inRows: ['corrections'],
  },

  async handle({ query, stores, nowMs }) {
    const { market: marketId, from: fromMs, to: toMs, limit, cursor } = query
    const list = `corrections ${marketId} ${fromMs} ${toMs}`
    const position = decodeCursor(cursor, list, Position)
    const before = position && { correctedAtMs: position[0], id: position[1] }
    const found = await stores.corrections.list({ marketId, fromMs, toMs, before, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const markets = await stores.markets.byIds([...new Set(page.map((each) => each.marketId))], nowMs)
    const venues = new Map(markets.map(({ id, venue }) => [id, venue]))
    const isLast = found.length <= limit || last === undefined
    return {
      body: {
        corrections: page.map((each) => entryOf(each, venues.get(each.marketId) ?? '')),
        next_cursor: isLast ? null : encodeCursor(list, [last.correctedAtMs, last.id]),
      },
      maxAgeSeconds: 60,
      ...(page.length === 0 && { emptyReason: 'no_match' as const }),
    }
  },
})

function entryOf({ marketId, hourMs, revision, correctedAtMs, reason, changes }: Correction, venue: string) {
  return {
    market_id: marketId,
    hour: instantOf(hourMs),
    revision,
    corrected_at: instantOf(correctedAtMs),
    reason,
    rows_changed: changes.snapshots,
    gaps_changed: changes.gaps,
    trades_changed: changes.trades,
    venue,
  }
}

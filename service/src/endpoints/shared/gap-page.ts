import { z } from 'zod'
import { GAP_CAUSES, GAP_KINDS, type Gap } from '../../domain/rows/gap.ts'
import { GapEntry, gapEntryOf } from '../schemas/gap.ts'
import { wholeNumber } from '../schemas/parameters.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor } from './cursor.ts'

const MAX_GAPS = 5_000
const DEFAULT_GAPS = 1_000

/** The end of a gap may move while it is open, so it is not part of the position. */
const Position = z.tuple([CursorTime, z.enum(GAP_KINDS), z.string(), CursorTime])
type Position = z.infer<typeof Position>

/** Parameters of the lists of gaps in the slots of a market or a perp. */
export const gapPageParameters = {
  kind: z.enum(GAP_KINDS).optional().describe('only gaps of this kind; slot counts are not filtered'),
  cause: z.enum(GAP_CAUSES).optional().describe('only gaps with this cause; slot counts are not filtered'),
  limit: wholeNumber(1, MAX_GAPS).default(DEFAULT_GAPS).describe('gaps per page'),
  cursor: Cursor.optional(),
}

export const gapPageMembers = {
  gap_count: z.int().describe('gaps that match the filters, on all pages'),
  gaps: z.array(GapEntry).describe('by start, cut to the range'),
  next_cursor: NextCursor,
}

type GapPage = z.infer<z.ZodObject<typeof gapPageMembers>>

export const NO_GAPS: GapPage = { gap_count: 0, gaps: [], next_cursor: null }

export function gapPageOf(
  all: readonly Gap[],
  list: string,
  { kind, cause, limit, cursor }: z.output<z.ZodObject<typeof gapPageParameters>>,
): GapPage {
  const gaps = all
    .filter((gap) => (kind ?? gap.kind) === gap.kind && (cause ?? gap.cause) === gap.cause)
    .toSorted((one, other) => compare(positionOf(one), positionOf(other)))
  const after = decodeCursor(cursor, list, Position)
  const rest = after === undefined ? gaps : gaps.filter((gap) => compare(positionOf(gap), after) > 0)
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  return {
    gap_count: gaps.length,
    gaps: page.map(gapEntryOf),
    next_cursor: last && rest.length > page.length ? encodeCursor(list, positionOf(last)) : null,
  }
}

function positionOf({ fromSlot, kind, cause, knownAtSlot }: Gap): Position {
  return [fromSlot, kind, cause, knownAtSlot]
}

function compare(one: Position, other: Position): number {
  const index = one.findIndex((part, place) => part !== other[place])
  const [mine, theirs] = [one[index], other[index]]
  return mine === undefined || theirs === undefined ? 0 : mine < theirs ? -1 : 1
}

import { createHash } from 'node:crypto'
import { ApiError } from '../../domain/api-error.ts'

/** The last token snapshot of a page. Within a slot UP stands before DOWN, whatever the order. */
export interface SnapshotCursor {
  readonly order: 'asc' | 'desc'
  readonly slot: number
  readonly outcome: 0 | 1
}

const PLAIN = /^1\.(asc|desc)\.(\d{1,15})\.([01])\.([0-9a-f]{8})$/

export function encodeCursor({ order, slot, outcome }: SnapshotCursor, marketId: string): string {
  return Buffer.from(`1.${order}.${slot}.${outcome}.${markOf(marketId)}`).toString('base64url')
}

/** Refuses what was not made by us, for this market and, if one is given, this order. */
export function decodeCursor(text: string, marketId: string, order: 'asc' | 'desc' | undefined): SnapshotCursor {
  const parts = PLAIN.exec(Buffer.from(text, 'base64url').toString('latin1'))
  if (parts === null || parts[4] !== markOf(marketId)) {
    throw badCursor('not a cursor of this market; send back next_cursor as it came')
  }
  const made = parts[1] === 'asc' ? 'asc' : 'desc'
  if (order !== undefined && order !== made) throw badCursor(`made with order=${made}`)
  return { order: made, slot: Number(parts[2]), outcome: parts[3] === '0' ? 0 : 1 }
}

export function isAfter(cursor: SnapshotCursor | undefined, slot: number, outcome: 0 | 1): boolean {
  if (cursor === undefined) return true
  if (slot === cursor.slot) return outcome > cursor.outcome
  return cursor.order === 'asc' ? slot > cursor.slot : slot < cursor.slot
}

/** Perps share the beginning of their ids. */
function markOf(marketId: string): string {
  return createHash('sha256').update(marketId).digest('hex').slice(0, 8)
}

function badCursor(problem: string): ApiError {
  return new ApiError('invalid_request', `cursor: ${problem}`, {
    details: { problems: [{ parameter: 'cursor', problem }] },
  })
}

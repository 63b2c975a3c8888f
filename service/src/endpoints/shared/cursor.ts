import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ApiError } from '../../domain/api-error.ts'
import { invalidParameter } from '../schemas/read-values.ts'

export const Cursor = z
  .string()
  .min(1)
  .max(400)
  .describe('`next_cursor` of the previous page; all other parameters must stay the same')

export const NextCursor = z
  .string()
  .nullable()
  .describe('pass it as `cursor` to get the next page; null on the last page')

/** A time in a cursor, or the number of a slot. Later ones are no dates, and PostgreSQL would refuse them. */
export const CursorTime = z.int().min(0).max(253_402_300_799_999)

/** Cursors are not signed, so anybody can change them. PostgreSQL has no NUL, and a lone surrogate is no text. */
const Parts = z.array(
  z.union([z.int().min(0), z.string().refine((text) => text.isWellFormed() && !text.includes('\0'))]),
)

/** `list` names the list that is paged through, so that a cursor of another market is refused. */
export function encodeCursor(list: string, position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([hashOf(list), ...position])).toString('base64url')
}

/** The position in a cursor of this list; undefined without a cursor. */
export function decodeCursor<Position extends readonly unknown[]>(
  cursor: string | undefined,
  list: string,
  schema: z.ZodType<Position>,
): Position | undefined {
  if (cursor === undefined) return undefined
  const [hash, ...position] = partsOf(cursor)
  const read = schema.safeParse(position)
  if (hash === hashOf(list) && Parts.safeParse(position).success && read.success) return read.data
  throw wrongCursor()
}

export function wrongCursor(): ApiError {
  return invalidParameter('cursor', 'must be the next_cursor of a page with the same parameters')
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

function hashOf(list: string): string {
  return createHash('sha256').update(list).digest('hex').slice(0, 8)
}

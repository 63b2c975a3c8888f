import { z } from 'zod'

/** Where the next page begins, as text that callers only hand back. */
export const Cursor = z.string().max(400).describe('next_cursor of the page before, with the same other parameters')

export const NextCursor = z
  .string()
  .nullable()
  .describe('hand it back as cursor for the next page; null on the last one')

export function cursorOf(position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** The position in a cursor, or undefined when it was not made by `cursorOf`, or for something else. */
export function positionIn<Position extends z.ZodType>(
  cursor: string,
  position: Position,
): z.output<Position> | undefined {
  try {
    const read = position.safeParse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    return read.success ? read.data : undefined
  } catch {
    return undefined
  }
}

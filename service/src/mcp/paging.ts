import type { Answer } from '../endpoints/endpoint.ts'
import { invalidRequest } from '../endpoints/schemas/read-values.ts'

/** Parameters as text, as an address would carry them. */
export type Texts = Readonly<Record<string, string>>

/** How a list is read piece by piece with one `cursor`, whatever its endpoint calls that. */
export interface Paging {
  /** Member of the reply that has the rows; without it the reply is the list itself. */
  readonly member?: string
  /** How many rows, where that can be asked for. */
  readonly limit?: { readonly usual: number; readonly most: number }
  /** Parameters of the endpoint that the cursor stands for. */
  readonly replaces: readonly string[]
  /** Only the store knows where a shorter page would end, so it is asked for that one. */
  readonly isCutByAsking: boolean
  /** What to ask the endpoint for. */
  ask(texts: Texts, page: { readonly cursor: string | undefined; readonly limit: number }): Texts
  /** The cursor behind so many rows; null when nothing is there. */
  next(asked: Texts, answer: Answer<unknown>, rows: readonly unknown[], shown: number): string | null
}

type Limit = NonNullable<Paging['limit']>

/** The endpoint's own cursors. */
export function storePages(member: string | undefined, limit: Limit): Paging {
  return {
    ...(member !== undefined && { member }),
    limit,
    replaces: ['cursor', 'limit'],
    isCutByAsking: true,
    ask: (texts, { cursor, limit: rows }) => ({
      ...texts,
      limit: String(rows),
      ...(cursor !== undefined && { cursor }),
    }),
    next(_asked, { body, aside }) {
      const own = (body as { next_cursor?: string | null }).next_cursor ?? aside?.nextCursor
      return own === undefined ? null : String(own)
    },
  }
}

/** Lists of which any place can be asked for. */
export function placePages(limit: Limit): Paging {
  return {
    limit,
    replaces: ['offset', 'limit'],
    isCutByAsking: false,
    ask: (texts, { cursor, limit: rows }) => ({ ...texts, limit: String(rows), offset: String(placeIn(cursor)) }),
    next({ offset }, { aside }, _rows, shown) {
      const place = Number(offset) + shown
      return place < Number(aside?.totalCount ?? 0) ? String(place) : null
    },
  }
}

/** Records in the order of their beginning; the cursor is where the first begins that is not shown. */
export function beginningPages(member: string, limit: Limit): Paging {
  return {
    member,
    limit,
    replaces: ['limit'],
    isCutByAsking: false,
    ask: (texts, { cursor, limit: rows }) => ({
      ...texts,
      limit: String(rows + 1),
      ...(cursor !== undefined && { from: cursor }),
    }),
    next: (_asked, _answer, rows, shown) => (rows[shown] as { from: string } | undefined)?.from ?? null,
  }
}

/** A row for each name that was asked for, with commas; the cursor says how many of them were shown. */
export function namePages(member: string, parameter: string): Paging {
  return {
    member,
    replaces: [],
    isCutByAsking: false,
    ask(texts, { cursor }) {
      const names = [...new Set((texts[parameter] ?? '').split(',').map((each) => each.trim()))]
      const place = placeIn(cursor)
      if (place > 0 && place >= names.length) throw badCursor()
      return { ...texts, [parameter]: names.slice(place).join(','), place: String(place) }
    },
    next: ({ place }, _answer, rows, shown) => (shown < rows.length ? String(Number(place) + shown) : null),
  }
}

function placeIn(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^\d{1,9}$/.test(cursor)) throw badCursor()
  return Number(cursor)
}

function badCursor() {
  return invalidRequest([{ parameter: 'cursor', problem: 'expected the next_cursor of the answer before' }])
}

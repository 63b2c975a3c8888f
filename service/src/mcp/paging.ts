import type { Answer } from '../endpoints/endpoint.ts'
import { invalidRequest } from '../endpoints/schemas/read-values.ts'

/** Parameters as text, as in a URL. */
export type Texts = Readonly<Record<string, string>>

/** How the pages of an endpoint are mapped to one `cursor` argument. */
export interface Paging {
  /** Member of the reply that contains the rows; undefined when the reply is the list. */
  readonly member?: string
  /** Default and maximum number of rows; undefined when the endpoint has no limit. */
  readonly limit?: { readonly usual: number; readonly most: number }
  /** Parameters of the endpoint that `cursor` and `limit` replace. */
  readonly replaces: readonly string[]
  /** The cursor of a shorter page is known only to the store, so a shorter page is requested again. */
  readonly needsShorterRequest: boolean
  /** Parameters for the endpoint. */
  parameters(texts: Texts, page: { readonly cursor: string | undefined; readonly limit: number }): Texts
  /** The cursor after the shown rows; null at the end. */
  next(parameters: Texts, answer: Answer<unknown>, rows: readonly unknown[], shown: number): string | null
}

type Limit = NonNullable<Paging['limit']>

/** Pages by the endpoint's own cursor. */
export function storePages(member: string | undefined, limit: Limit): Paging {
  return {
    ...(member !== undefined && { member }),
    limit,
    replaces: ['cursor', 'limit'],
    needsShorterRequest: true,
    parameters: (texts, { cursor, limit: rows }) => ({
      ...texts,
      limit: String(rows),
      ...(cursor !== undefined && { cursor }),
    }),
    next(_parameters, { body, aside }) {
      const own = (body as { next_cursor?: string | null }).next_cursor ?? aside?.nextCursor
      return own === undefined ? null : String(own)
    },
  }
}

/** Pages by offset. */
export function offsetPages(limit: Limit): Paging {
  return {
    limit,
    replaces: ['offset', 'limit'],
    needsShorterRequest: false,
    parameters: (texts, { cursor, limit: rows }) => ({
      ...texts,
      limit: String(rows),
      offset: String(offsetIn(cursor)),
    }),
    next({ offset }, { aside }, _rows, shown) {
      const next = Number(offset) + shown
      return next < Number(aside?.totalCount ?? 0) ? String(next) : null
    },
  }
}

/** Pages of a comma-separated list of names; the cursor is the number of names already shown. */
export function namePages(member: string, parameter: string): Paging {
  return {
    member,
    replaces: [],
    needsShorterRequest: false,
    parameters(texts, { cursor }) {
      const names = [...new Set((texts[parameter] ?? '').split(',').map((each) => each.trim()))]
      const place = offsetIn(cursor)
      if (place > 0 && place >= names.length) throw badCursor()
      return { ...texts, [parameter]: names.slice(place).join(','), place: String(place) }
    },
    next: ({ place }, _answer, rows, shown) => (shown < rows.length ? String(Number(place) + shown) : null),
  }
}

function offsetIn(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^\d{1,9}$/.test(cursor)) throw badCursor()
  return Number(cursor)
}

function badCursor() {
  return invalidRequest([{ parameter: 'cursor', problem: 'must be the next_cursor of the previous answer' }])
}

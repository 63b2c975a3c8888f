import { createHash } from 'node:crypto'
import type { Switchboard } from '../faults/switchboard.ts'
import { BadQuery, firstOf, type Query, wholeNumber } from './gamma-filters.ts'

/** The fields by which a list can be ordered, with their JSON names. */
export interface Sortable {
  id: string
  endDate: number
  startDate: number
  volume24hr: number
}

const KEYSET_LIMIT = 100
const OFFSET_LIMIT = 500
const LAST_OFFSET = 2_000

export interface Page<Item> {
  items: Item[]
  nextCursor?: string
}

function ordered<Item extends Sortable>(items: Item[], query: Query): Item[] {
  const order = firstOf(query, 'order')
  if (order === undefined) return items.toSorted((one, other) => Number(one.id) - Number(other.id))
  if (!['id', 'endDate', 'startDate', 'volume24hr'].includes(order)) throw new BadQuery('order fields are not valid')
  const key = order as keyof Sortable
  const direction = firstOf(query, 'ascending') === 'false' ? -1 : 1
  return items.toSorted(
    (one, other) => direction * (Number(one[key]) - Number(other[key]) || Number(one.id) - Number(other.id)),
  )
}

function limitOf(query: Query, max: number): number {
  const limit = wholeNumber(query, 'limit') ?? 20
  return Math.min(max, Math.max(1, limit))
}

/** The parameter is `after_cursor`; the venue silently ignores any other, such as `cursor`. */
export function keysetPage<Item extends Sortable>(
  kind: string,
  all: Item[],
  query: Query,
  faults: Switchboard,
): Page<Item> {
  if (query.offset !== undefined) throw new BadQuery('offset is not supported on keyset endpoints')
  const items = ordered(all, query)
  const limit = limitOf(query, KEYSET_LIMIT)
  const occasion = { feed: 'gamma', detail: kind } as const
  const after = faults.strike('repeat-page', occasion) ? undefined : firstOf(query, 'after_cursor')
  let from = after === undefined ? 0 : items.findIndex(({ id }) => id === idIn(after)) + 1
  if (after !== undefined && from === 0) throw new BadQuery('invalid cursor')
  if (after !== undefined && faults.strike('unsteady-pages', occasion)) from += faults.draw.chance(0.5) ? 1 : -1
  const page = items.slice(from, from + limit)
  const last = page.at(-1)
  const isLast = last === undefined || from + limit >= items.length
  return isLast ? { items: page } : { items: page, nextCursor: cursorOf(kind, last.id) }
}

export function offsetPage<Item extends Sortable>(all: Item[], query: Query): Item[] {
  const offset = wholeNumber(query, 'offset') ?? 0
  if (offset > LAST_OFFSET) throw new BadQuery('offset exceeds maximum allowed value, use the keyset endpoints')
  return ordered(all, query).slice(offset, offset + limitOf(query, OFFSET_LIMIT))
}

/** Looks like the venue's cursors: 32 opaque bytes and JSON, encoded as base64url. */
function cursorOf(kind: string, id: string): string {
  const keys = JSON.stringify({ v: 1, k: kind, keys: [{ t: 'string', v: id }] })
  return Buffer.concat([createHash('sha256').update(keys).digest(), Buffer.from(keys)]).toString('base64url')
}

function idIn(cursor: string): string | undefined {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').subarray(32).toString()).keys[0].v
  } catch {
    throw new BadQuery('invalid cursor')
  }
}

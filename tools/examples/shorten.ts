const LADDERS = new Set(['bids', 'asks'])
/** Lists whose last items say most: the newest days. */
const NEWEST_LAST = new Set(['days'])
const LEVELS = 3
const ITEMS = 2
/** Longer lists of numbers and longer texts are cut: those of a heat map are. */
const MOST_SCALARS = 32
const SCALARS = 8
const MOST_CHARACTERS = 1_000
const CHARACTERS = 48

/**
 * Shortens an answer for an example: lists to two items, ladders to three levels, heat maps to their first columns with
 * rows. Short lists of scalars stay whole.
 */
export function shorten(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    if (LADDERS.has(name)) return value.slice(0, LEVELS)
    const isOfScalars = value.every((item) => item === null || typeof item !== 'object')
    if (isOfScalars) return value.length > MOST_SCALARS ? value.slice(0, SCALARS) : value
    const kept = NEWEST_LAST.has(name) ? value.slice(-ITEMS) : value.toSorted(chargedFirst).slice(0, ITEMS)
    return kept.map((item) => shorten(item))
  }
  if (typeof value === 'string' && value.length > MOST_CHARACTERS) return `${value.slice(0, CHARACTERS)}…`
  if (typeof value !== 'object' || value === null) return value
  if (isTile(value)) return shortTile(value)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member, key)]))
}

interface Tile {
  readonly columns: number
  readonly stored: readonly number[]
}

function isTile(value: object): value is Tile {
  return 'columns' in value && 'stored' in value && Array.isArray(value.stored)
}

function shortTile(tile: Tile): Record<string, unknown> {
  const first = Math.max(
    0,
    tile.stored.findIndex((count) => count > 0),
  )
  const shortened = Object.entries(tile).map(([name, member]): [string, unknown] => {
    if (LADDERS.has(name) && typeof member === 'string') return [name, firstSizes(member)]
    const isByColumn = Array.isArray(member) && member.length === tile.columns
    return [name, isByColumn ? member.slice(first, first + SCALARS) : shorten(member, name)]
  })
  return Object.fromEntries(shortened)
}

/** The base64 text from the first byte that is not 0. */
function firstSizes(text: string): string {
  const start = Math.max(0, Math.floor(text.search(/[^A=]/) / 4) * 4)
  return `${start > 0 ? '…' : ''}${text.slice(start, start + CHARACTERS)}…`
}

/** Rows of usage that cost something say more than the others; all other lists keep their order. */
function chargedFirst(one: { credits?: unknown }, other: { credits?: unknown }): number {
  const isCharged = ({ credits }: { credits?: unknown }): number => (typeof credits === 'number' && credits > 0 ? 1 : 0)
  return isCharged(other) - isCharged(one)
}

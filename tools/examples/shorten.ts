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

/** Shortens an answer for an example: lists to two items, ladders to three levels. Short lists of scalars stay whole. */
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
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member, key)]))
}

/** Rows of usage that cost something say more than the others; all other lists keep their order. */
function chargedFirst(one: { credits?: unknown }, other: { credits?: unknown }): number {
  const isCharged = ({ credits }: { credits?: unknown }): number => (typeof credits === 'number' && credits > 0 ? 1 : 0)
  return isCharged(other) - isCharged(one)
}

const LADDERS = new Set(['bids', 'asks'])
/** Lists whose last items say most: the newest days. */
const NEWEST_LAST = new Set(['days'])
const LEVELS = 3
const ITEMS = 2

/** Shortens an answer for an example: lists to two items, ladders to three levels. Lists of strings stay whole. */
export function shorten(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    if (LADDERS.has(name)) return value.slice(0, LEVELS)
    const isOfScalars = value.every((item) => typeof item !== 'object')
    if (isOfScalars) return value
    const kept = NEWEST_LAST.has(name) ? value.slice(-ITEMS) : value.toSorted(chargedFirst).slice(0, ITEMS)
    return kept.map((item) => shorten(item))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member, key)]))
}

/** Rows of usage that cost something say more than the others; all other lists keep their order. */
function chargedFirst(one: { credits?: unknown }, other: { credits?: unknown }): number {
  const isCharged = ({ credits }: { credits?: unknown }): number => (typeof credits === 'number' && credits > 0 ? 1 : 0)
  return isCharged(other) - isCharged(one)
}

const LADDERS = new Set(['bids', 'asks'])
const LEVELS = 3
const ITEMS = 2
/** No key belongs into a document, not even one that never opened anything. */
const KEY = /br_live_\w{20,}/g

/** An answer as an example: lists cut to two items, ladders to three levels. Lists of words stay whole. */
export function shorten(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return value.replaceAll(KEY, `br_live_${'0'.repeat(38)}`)
  if (Array.isArray(value)) {
    if (LADDERS.has(name)) return value.slice(0, LEVELS)
    const isOfWords = value.every((item) => typeof item !== 'object')
    return (isOfWords ? value : value.slice(0, ITEMS)).map((item) => shorten(item))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member, key)]))
}

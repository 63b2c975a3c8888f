/**
 * The keys in their order and the types of the values, as one comparable text:
 * `{market:string,bids:[{price:string,size:string}]}`. A list shows the distinct shapes of its elements.
 */
export function shapeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join('|')}]`
  if (typeof value !== 'object') return typeof value
  return `{${Object.entries(value)
    .map(([key, each]) => `${key}:${shapeOf(each)}`)
    .join(',')}}`
}

/** `total_markets` and `totalMarkets` become `X-Total-Markets`. */
export function asideHeaders(aside: Readonly<Record<string, unknown>>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(aside)) {
    if (value === null || value === undefined) continue
    headers[headerName(name)] = headerValue(value)
  }
  return headers
}

function headerName(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').split(/[_-]/)
  return `x-${words.map((word) => word.toLowerCase()).join('-')}`
}

/** Encodes text, because texts of venues may contain characters that headers must not. A list is sent as its length. */
function headerValue(value: unknown): string {
  if (Array.isArray(value)) return String(value.length)
  if (typeof value === 'string') return encodeURI(value).replace(/[^\x20-\x7e]/g, encodeURIComponent)
  return encodeURIComponent(JSON.stringify(value))
}

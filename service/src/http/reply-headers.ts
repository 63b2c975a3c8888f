/** `total_markets` and `totalMarkets` become `X-Total-Markets`. */
export function asideHeaders(aside: Readonly<Record<string, string | number | boolean | undefined>>) {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(aside)) {
    if (value === undefined) continue
    headers[headerName(name)] = typeof value === 'string' ? textValue(value) : String(value)
  }
  return headers
}

export function headerName(member: string): string {
  const words = member.replace(/([a-z0-9])([A-Z])/g, '$1_$2').split(/[_-]/)
  return `x-${words.map((word) => word.toLowerCase()).join('-')}`
}

/** Percent-encoded UTF-8, because texts of venues may contain characters that headers must not. */
export function textValue(text: string): string {
  return encodeURI(text.toWellFormed())
}

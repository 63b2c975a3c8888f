import { headerName, textValue } from './reply-headers.ts'

/** Servers and proxies commonly accept 8 kB of response headers; the standard headers need the other half. */
const MAX_BYTES = 4_096
const MAX_VALUE_BYTES = 2_048

interface Part {
  readonly name: string
  readonly text: string
  /** Replaces a value that is too long. */
  readonly count: { readonly name: string; readonly text: string }
}

/**
 * Members of a reply that are not rows, as `X-` headers: scalars as they are, lists and objects as JSON. What is too
 * long is sent as its count, and `Link` leads to the same request as JSON. When all together are too long, the longest
 * value becomes a count first; of equally long ones, the last.
 */
export function envelopeHeaders(
  envelope: Readonly<Record<string, unknown>>,
  jsonUrl: string,
  usedBytes = 0,
): Record<string, string> {
  const parts = Object.entries(envelope).flatMap(([name, value]) => partOf(name, value) ?? [])
  const counted = new Set(parts.filter(({ text }) => text.length > MAX_VALUE_BYTES))
  const shown = () => parts.map((part) => (counted.has(part) ? part.count : part))
  while (usedBytes + byteCount(shown()) > MAX_BYTES && counted.size < parts.length)
    counted.add(longestOf(parts, counted))
  const headers = Object.fromEntries(shown().map(({ name, text }) => [name, text]))
  return counted.size === 0 ? headers : { ...headers, link: `<${jsonUrl}>; rel="alternate"; type="application/json"` }
}

/** As they are sent: `name: value` and a line end. */
export function byteCount(headers: readonly { readonly name: string; readonly text: string }[]): number {
  return headers.reduce((sum, { name, text }) => sum + name.length + text.length + ': \r\n'.length, 0)
}

/** Null and undefined are expressed by a header that is not sent. */
function partOf(member: string, value: unknown): Part | undefined {
  if (value === null || value === undefined) return undefined
  const name = headerName(member)
  if (typeof value === 'string') {
    return { name, text: textValue(value), count: { name: `${name}-length`, text: String(value.length) } }
  }
  const items = Array.isArray(value) ? value.length : Object.keys(value as object).length
  return { name, text: asciiJson(value), count: { name: `${name}-count`, text: String(items) } }
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function longestOf(parts: readonly Part[], except: ReadonlySet<Part>): Part {
  return parts
    .filter((part) => !except.has(part))
    .reduce((longest, part) => (part.text.length >= longest.text.length ? part : longest))
}

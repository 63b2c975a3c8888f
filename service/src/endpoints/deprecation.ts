/** The end of an endpoint, announced in its answers and in the documents. */
export interface Deprecation {
  /** First day, such as 2026-11-16. */
  readonly since: string
  /** Day from which it may be gone. */
  readonly sunset: string
  /** Path that replaces it, with the same names for parameters. */
  readonly replacement?: string
}

/** `Deprecation` as RFC 9745, `Sunset` as RFC 8594, and a link to the replacement. */
export function deprecationHeaders(
  { since, sunset, replacement }: Deprecation,
  params: Readonly<Record<string, string>>,
): Record<string, string> {
  const successor = replacement?.replaceAll(/\{(\w+)\}/g, (name, key: string) =>
    params[key] === undefined ? name : encodeURIComponent(params[key]),
  )
  return {
    deprecation: `@${startOfDayMs(since) / 1_000}`,
    sunset: new Date(startOfDayMs(sunset)).toUTCString(),
    // A template with unknown values is no address.
    ...(successor !== undefined && !successor.includes('{') && { link: `<${successor}>; rel="successor-version"` }),
  }
}

/** For the documents and tool descriptions. */
export function deprecationText({ since, sunset, replacement }: Deprecation): string {
  const instead = replacement === undefined ? '' : ` Use \`${replacement}\` instead.`
  return `Deprecated since ${since}; it ends on ${sunset}.${instead}`
}

function startOfDayMs(day: string): number {
  const ms = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(ms)) throw new TypeError(`${day} is not a day such as 2026-11-16`)
  return ms
}

/** One operation of the API. */
export interface Operation {
  readonly name: string
  /** Contains `{name}` for path parameters. */
  readonly path: string
  /** The call may cost credits, so its retries must carry the same `Idempotency-Key`. */
  readonly isPriced: boolean
  /** Error statuses whose body is still the normal reply, such as the health of a service that is down. */
  readonly otherStatuses?: readonly number[]
  /** For paged lists: the member that holds the list (none when the reply is the list), and the largest `limit`. */
  readonly pages?: { readonly member?: string; readonly limit: number }
}

export type Input = Readonly<Record<string, unknown>>

/** The URL of a call: path parameters go into the path, all others into the query. */
export function addressOf(baseUrl: string, { path }: Operation, input: Input): string {
  const rest = new Map(Object.entries(input))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    if (value === undefined || value === '') throw new TypeError(`The parameter ${name} is required.`)
    return encodeURIComponent(textOf(value))
  })
  const query = new URLSearchParams()
  for (const [name, value] of rest) if (value !== undefined) query.set(name, textOf(value))
  const search = query.toString()
  return `${baseUrl}${filled}${search === '' ? '' : `?${search}`}`
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

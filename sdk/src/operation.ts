/** One question of the service, as the caller needs to know it. */
export interface Operation {
  readonly name: string
  /** With `{name}` for parameters. */
  readonly path: string
  /** An answer may cost credits, so that a repeat must carry the same `Idempotency-Key`. */
  readonly isPriced: boolean
  /** Bad statuses that may come with the reply nevertheless: a service that is down says how it is. */
  readonly otherStatuses?: readonly number[]
  /** Of a list in pages: the member that is the list (none when the answer itself is), and the largest `limit`. */
  readonly pages?: { readonly member?: string; readonly limit: number }
}

export type Input = Readonly<Record<string, unknown>>

/** The address of a question: what its path names goes there, everything else into the query. */
export function addressOf(baseUrl: string, { path }: Operation, input: Input): string {
  const rest = new Map(Object.entries(input))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    if (value === undefined || value === '') throw new TypeError(`${name} must be given`)
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

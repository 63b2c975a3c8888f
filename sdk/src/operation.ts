/** One operation of the API. */
export interface Operation {
  readonly name: string
  /** Contains `{name}` for path parameters. */
  readonly path: string
  /** The input that is not in the path is the JSON body of a POST. */
  readonly isPost?: true
  /** The call may cost credits, so its retries must carry the same `Idempotency-Key`. */
  readonly isPriced: boolean
  /** Error statuses whose body is still the normal reply, such as the health of a service that is down. */
  readonly otherStatuses?: readonly number[]
  /** For paged lists: the member that holds the list (none when the reply is the list), and the largest `limit`. */
  readonly pages?: { readonly member?: string; readonly limit: number }
}

export type Input = Readonly<Record<string, unknown>>

export interface Address {
  readonly url: string
  /** Of a POST. */
  readonly body?: string
}

/** Path parameters go into the path, all others into the query or the body. */
export function addressOf(baseUrl: string, { path, isPost }: Operation, input: Input): Address {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    if (value === undefined || value === '') throw new TypeError(`The parameter ${name} is required.`)
    return encodeURIComponent(textOf(value))
  })
  if (isPost) return { url: `${baseUrl}${filled}`, body: JSON.stringify(Object.fromEntries(rest)) }
  const search = new URLSearchParams(
    [...rest].map(([name, value]): [string, string] => [name, textOf(value)]),
  ).toString()
  return { url: `${baseUrl}${filled}${search === '' ? '' : `?${search}`}` }
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

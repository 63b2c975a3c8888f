import type { ApiService } from '../api-service.ts'
import type { Operation } from '../published-schema.ts'
import type { Browser, Page } from './make-request.ts'
import type { Facts } from './valid-values.ts'

export interface PageReader {
  readonly key: string
  readonly browser: Browser
}

/** Second pages of all lists that have one. */
export async function secondPages(
  { client, port }: ApiService,
  operations: readonly Operation[],
  facts: Facts,
  { key, browser }: PageReader,
): Promise<Page[]> {
  const pages: Page[] = []
  for (const operation of operations) {
    if (!operation.parameters.some(({ name }) => name === 'cursor')) continue
    const path = firstPage(operation, facts)
    const own = operation.isOfSession ? browser.headers : undefined
    const reply = await client.ask({ port, path, headers: own ?? { 'x-api-key': key } })
    const cursor = reply.headers['x-next-cursor'] ?? /"next_?cursor":"([^"]+)"/i.exec(reply.body.toString())?.[1]
    if (cursor !== undefined) pages.push({ path, cursor: String(cursor), ...(own !== undefined && { headers: own }) })
  }
  return pages
}

function firstPage({ path, parameters }: Operation, { markets, events }: Facts): string {
  const id = markets[0]?.id ?? ''
  const own = parameters.flatMap(({ name, required, in: place, schema }) =>
    required && place === 'query' ? [`${name}=${Array.isArray(schema.enum) ? schema.enum[0] : id}`] : [],
  )
  const filled = path.replace('{id}', id).replace('{event}', events[0] ?? '')
  return `${filled}?${[...own, 'limit=1'].join('&')}`
}

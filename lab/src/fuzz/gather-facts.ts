import type { ApiService } from '../api-service.ts'
import type { Operation } from '../published-schema.ts'
import { storeFiles } from './store-files.ts'
import type { Facts } from './valid-values.ts'

const MOST_IDS = 60

/** Facts that a client can read from the API. */
export async function gatherFacts(service: ApiService, key: string, operations: readonly Operation[]): Promise<Facts> {
  const markets = (await service.liveMarkets(key)).slice(0, MOST_IDS)
  const ids = markets.map(({ conditionId }) => conditionId)
  const answer = await service.recording.clickhouse.query({
    query:
      'SELECT toUnixTimestamp64Milli(min(captured_at)) AS first, toUnixTimestamp64Milli(max(captured_at)) AS last FROM snapshots',
    format: 'JSONEachRow',
  })
  const [span] = await answer.json<{ first: string; last: string }>()
  return {
    ids,
    slugs: markets.map(({ slug }) => slug),
    files: await storeFiles(service),
    fromMs: Number(span?.first),
    toMs: Number(span?.last),
    pages: await secondPages(service, key, operations, ids),
  }
}

async function secondPages(
  service: ApiService,
  key: string,
  operations: readonly Operation[],
  ids: readonly string[],
): Promise<string[]> {
  const pages: string[] = []
  for (const { path, parameters } of operations) {
    if (!parameters.some(({ name }) => name === 'cursor')) continue
    const own = parameters.flatMap(({ name, required, in: place, schema }) => {
      if (!required || place !== 'query') return []
      return [`${name}=${Array.isArray(schema.enum) ? schema.enum[0] : ids[0]}`]
    })
    const address = `${path.replace('{id}', ids[0] ?? '')}?${[...own, 'limit=1'].join('&')}`
    const reply = await service.client.ask({ port: service.port, path: address, headers: { 'x-api-key': key } })
    const cursor = reply.headers['x-next-cursor'] ?? /"next_cursor":"([^"]+)"/.exec(reply.body.toString())?.[1]
    if (cursor !== undefined) pages.push(`${address}&cursor=${encodeURIComponent(String(cursor))}`)
  }
  return pages
}

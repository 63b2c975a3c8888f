import { Readable } from 'node:stream'
import { type CaptureRange, snapshotPageStore } from '@bookreel/service/stores/books/snapshot-pages'
import type { ClickHouseQuery, ClickHouseReads } from '@bookreel/service/stores/engines/clickhouse-reader'
import type { Stack } from '@bookreel/stack/start-stack'
import type { Asking } from '../http-client.ts'

/** Captures the query that the store sends for a page, so that it can be sent without the store. */
export async function bareSnapshotQuery(stack: Stack, range: CaptureRange, rows: number): Promise<Asking> {
  const executed: ClickHouseQuery[] = []
  const recorder: ClickHouseReads = {
    async exec(what) {
      executed.push(what)
      return { stream: Readable.from([]) }
    },
  }
  const store = snapshotPageStore(recorder)
  await store.rows(range, { order: 'asc', limit: rows, includeBook: true })
  const [what] = executed
  if (what === undefined) throw new Error('the store sent no query')
  const url = new URL(stack.variable('CLICKHOUSE_URL'))
  url.searchParams.set('database', stack.variable('CLICKHOUSE_DATABASE'))
  for (const [name, value] of Object.entries(what.clickhouse_settings ?? {})) url.searchParams.set(name, String(value))
  for (const [name, value] of Object.entries(what.query_params ?? {}))
    url.searchParams.set(`param_${name}`, String(value))
  return {
    port: Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers: {
      'x-clickhouse-user': stack.variable('CLICKHOUSE_USER'),
      'x-clickhouse-key': stack.variable('CLICKHOUSE_PASSWORD'),
    },
    body: what.query,
  }
}

import { Agent, request } from 'node:http'
import { startStack } from '@bookreel/stack/start-stack'
import { list, madeMarket, madeRow } from '@bookreel/testbed/service/stored-markets'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { issueKey } from '../../src/access/issue-key.ts'
import { prepare } from '../../src/commands/prepare.ts'
import { readConfig } from '../../src/config.ts'
import type { Ladders, Level } from '../../src/domain/book.ts'
import { SNAPSHOT_COLUMNS } from '../../src/domain/rows/snapshot.ts'
import { buildServer } from '../../src/http/server.ts'
import { openAccess } from '../../src/wiring/open-access.ts'
import { openPipeline } from '../../src/wiring/open-pipeline.ts'
import { openStores } from '../../src/wiring/open-stores.ts'
import { archiveRows } from './snapshots-scene.ts'

/** How much longer a page takes than the SQL behind it, sent straight to ClickHouse. Run: node service/test/http/snapshots-bench.ts */

const ROUNDS = Number(process.argv[2] ?? 300)
const ROWS = 40_000
const LEVELS = 30
const market = madeMarket('bench', { captureIntervalMs: 250 })
const first = Math.floor((Date.now() - 4 * 3_600_000) / 250)

const agent = new Agent({ keepAlive: true })

function fetchBytes(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent, headers }, (answer) => {
      let size = 0
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length
      })
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(size) : reject(new Error(`${url}: ${answer.statusCode}`)),
      )
    })
    asking.on('error', reject)
    asking.end()
  })
}

/** One level changes from slot to slot, as in a busy market. */
function laddersAt(slot: number): Ladders {
  const level = (price: number, place: number): Level => ({
    price,
    size: 1_000_000 * (place + 1) + (slot % LEVELS === place ? slot % 977 : 0) * 10_000,
  })
  return {
    bids: Array.from({ length: LEVELS }, (_, place) => level(4_900 - place * 100, place)),
    asks: Array.from({ length: LEVELS }, (_, place) => level(5_000 + place * 100, place)),
  }
}

function p50(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function timed(work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

await using stack = await startStack()
const config = readConfig({
  ...stack.variables,
  STREAM_MAX_BYTES: '500000000',
  KEY_PEPPER: 'a pepper that only tests know, long enough',
})
await prepare(config)
const access = openAccess(config, () => {})
const stores = openStores(config, access.database, () => {})
await access.untilRedisReady()
const log = pino({ level: 'silent' })
const server = await buildServer({
  pipeline: openPipeline({ access, stores, registry: new Registry(), signIn: undefined }),
  log,
  isHttpsRequired: false,
  trustedProxies: [],
})
const account = await access.accounts.create('bench')
await access.accounts.setTier(account.id, { tier: 'enterprise', monthlyCredits: 0 })
await access.ledger.grant({ accountId: account.id, credits: 1_000_000, kind: 'grant', idem: 'bench' })
const { key } = await issueKey(access, { accountId: account.id, label: 'bench' })
const service = { stores, config }
await list(service, [market])
for (let from = 0; from < ROWS; from += 4_000) {
  const slots = Array.from({ length: 4_000 }, (_, index) => first + from + index)
  await archiveRows(
    service,
    slots.map((slot) => madeRow(market, { atMs: slot * 250, up: laddersAt(slot), spotUsd: 90_000 })),
  )
}
const address = await server.listen({ host: '127.0.0.1', port: 0 })
const { CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD, CLICKHOUSE_DATABASE } = config

function bareUrl(fromSlot: number, rows: number): string {
  const url = new URL(CLICKHOUSE_URL)
  const toSlot = fromSlot + rows * 2 + 64
  const sql = `SELECT ${SNAPSHOT_COLUMNS.map(([name]) => name).join(', ')} FROM snapshots
    WHERE market_id = unhex('${market.id.slice(2)}') AND slot >= ${fromSlot} AND slot <= ${toSlot}
      AND slot_at >= fromUnixTimestamp64Milli(${fromSlot * 250}, 'UTC') AND slot_at <= fromUnixTimestamp64Milli(${toSlot * 250}, 'UTC')
      AND captured_at >= fromUnixTimestamp64Milli(${fromSlot * 250}, 'UTC') AND captured_at < fromUnixTimestamp64Milli(${toSlot * 250}, 'UTC')
    ORDER BY slot LIMIT 1 BY slot LIMIT ${rows} FORMAT ${process.argv[3] ?? 'RowBinary'}`
  url.search = new URLSearchParams({ database: CLICKHOUSE_DATABASE, query: sql }).toString()
  return url.toString()
}

for (const limit of [100, 500]) {
  const [ours, bare, select]: number[][] = [[], [], []]
  for (let round = 0; round < ROUNDS + 30; round++) {
    const fromSlot = first + ((round * 7_919) % (ROWS - 1_000))
    const path = `${address}/v1/markets/${market.id}/snapshots?from=${fromSlot * 250}&limit=${limit}`
    const credentials = { 'x-clickhouse-user': CLICKHOUSE_USER, 'x-clickhouse-key': CLICKHOUSE_PASSWORD }
    const each = [
      await timed(() => fetchBytes(path, { 'x-api-key': key })),
      await timed(() => fetchBytes(bareUrl(fromSlot, limit / 2), credentials)),
      await timed(() =>
        fetchBytes(`${address}/v1/markets/${market.id}/snapshots?dry_run=true&to=2026-01-01T00:00:00Z`, {
          'x-api-key': key,
        }),
      ),
    ]
    if (round >= 30) for (const [place, series] of [ours, bare, select].entries()) series?.push(each[place] ?? 0)
  }
  const [a, b, c] = [p50(ours ?? []), p50(bare ?? []), p50(select ?? [])]
  process.stdout.write(
    `limit ${limit}: ours ${a.toFixed(2)} ms, bare ${b.toFixed(2)} ms, ratio ${(a / b).toFixed(2)}; a dry run of nothing ${c.toFixed(2)} ms\n`,
  )
}
agent.destroy()
await server.close()
await stores[Symbol.asyncDispose]()
await access.close()

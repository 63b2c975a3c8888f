import type { ClickHouseClient } from '@clickhouse/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stack, startStack } from '../src/start-stack.ts'
import { clickhouseClient, rowsOf } from './clients.ts'

const MARKETS = 200

let stack: Stack
let shards: ClickHouseClient[]

beforeAll(async () => {
  stack = await startStack({ engines: ['clickhouse'], clickhouseShards: 2 })
  shards = stack
    .variable('CLICKHOUSE_SHARD_URLS')
    .split(',')
    .map((url) => clickhouseClient(stack, { url }))
  const columns = '(market_id String, price Float64)'
  const cluster = stack.variable('CLICKHOUSE_CLUSTER')
  for (const shard of shards) {
    await shard.command({ query: `CREATE TABLE ticks_local ${columns} ENGINE = MergeTree ORDER BY market_id` })
    const engine = `Distributed('${cluster}', currentDatabase(), ticks_local, cityHash64(market_id))`
    await shard.command({ query: `CREATE TABLE ticks ${columns} ENGINE = ${engine}` })
  }
  await first().insert({
    table: 'ticks',
    values: Array.from({ length: MARKETS }, (_, n) => ({ market_id: `market-${n}`, price: n })),
    format: 'JSONEachRow',
    clickhouse_settings: { distributed_foreground_insert: 1 },
  })
})
afterAll(async () => {
  await Promise.all(shards.map((shard) => shard.close()))
  await stack.stop()
})

function first(): ClickHouseClient {
  const [shard] = shards
  if (!shard) throw new Error('No shard')
  return shard
}

test('every shard knows its number', async () => {
  const numbers = await Promise.all(shards.map((shard) => rowsOf(shard, "SELECT getMacro('shard') AS shard")))
  expect(numbers).toEqual([[{ shard: '1' }], [{ shard: '2' }]])
})

test('rows are stored on the shard given by the hash of their market', async () => {
  const counts: number[] = []
  for (const [index, shard] of shards.entries()) {
    const query = `SELECT count() AS rows, countIf(cityHash64(market_id) % 2 = ${index}) AS own FROM ticks_local`
    const [found] = await rowsOf<{ rows: string; own: string }>(shard, query)
    expect(found?.own).toBe(found?.rows)
    counts.push(Number(found?.rows))
  }
  expect(Math.min(...counts)).toBeGreaterThan(MARKETS / 4)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(MARKETS)
  for (const shard of shards) {
    expect(await rowsOf(shard, 'SELECT toUInt32(count()) AS rows FROM ticks')).toEqual([{ rows: MARKETS }])
  }
})

test('the read-only user can query all shards', async () => {
  const [user, password] = [stack.variable('CLICKHOUSE_READER_USER'), stack.variable('CLICKHOUSE_READER_PASSWORD')]
  const reader = clickhouseClient(stack, { user, password })
  expect(await rowsOf(reader, 'SELECT toUInt32(count()) AS rows FROM ticks')).toEqual([{ rows: MARKETS }])
  const names = await rowsOf(reader, 'SELECT DISTINCT currentUser() AS name FROM ticks')
  expect(names).toEqual([{ name: user }])
  await reader.close()
})

test('a query for one market reads one shard only', async () => {
  const markets = Array.from({ length: 10 }, (_, n) => `market-${n}`)
  for (const market of markets) {
    const [row] = await rowsOf<{ home: number }>(first(), `SELECT toUInt8(cityHash64('${market}') % 2) AS home`)
    const before = await Promise.all(shards.map(partReads))
    const result = await first().query({
      query: `SELECT price FROM ticks WHERE market_id = '${market}'`,
      format: 'JSONEachRow',
      clickhouse_settings: { optimize_skip_unused_shards: 1, force_optimize_skip_unused_shards: '1' },
    })
    expect(await result.json()).toEqual([{ price: Number(market.slice('market-'.length)) }])
    const after = await Promise.all(shards.map(partReads))
    const touched = after.map((count, index) => count > (before[index] ?? 0))
    expect(touched).toEqual([row?.home === 0, row?.home === 1])
  }
})

/** Number of reads from stored parts, as counted by the server. */
async function partReads(shard: ClickHouseClient): Promise<number> {
  const query = "SELECT value FROM system.events WHERE event = 'SelectedParts'"
  const [row] = await rowsOf<{ value: string }>(shard, query)
  return Number(row?.value ?? 0)
}

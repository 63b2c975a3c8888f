import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import type { ClickHouseClient } from '@clickhouse/client'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { writeGap } from '../../src/domain/rows/gap.ts'
import { writePerpSnapshot } from '../../src/domain/rows/perp-snapshot.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { currentSchema, type RowTable } from '../../src/domain/rows/row-table.ts'
import { writeSnapshot } from '../../src/domain/rows/snapshot.ts'
import { writeTrade } from '../../src/domain/rows/trade.ts'
import { gapStore } from '../../src/stores/books/gaps.ts'
import { marketDayStore } from '../../src/stores/books/market-days.ts'
import { perpSnapshotStore } from '../../src/stores/books/perp-snapshots.ts'
import { RowsRefused, rowInserter } from '../../src/stores/books/row-inserter.ts'
import { snapshotStore } from '../../src/stores/books/snapshots.ts'
import { StoredSince } from '../../src/stores/books/stored-since.ts'
import { tradeStore } from '../../src/stores/books/trades.ts'
import { migrateClickHouse } from '../../src/stores/engines/clickhouse-migrations.ts'
import { noteRetention } from '../../src/stores/engines/clickhouse-retention.ts'
import { marketFactStore } from '../../src/stores/markets/market-facts.ts'
import { RecentMarkets } from '../../src/stores/markets/recent-markets.ts'
import { platformStatsStore } from '../../src/stores/platform/platform-stats.ts'
import { openClickHouse, valuesOf } from './open-clickhouse.ts'
import { anyGap, anyPerpSnapshot, anySnapshot, anyTrade, DAY_START_MS } from './random-rows.ts'

let stack: Stack
let client: ClickHouseClient
const day = { fromMs: DAY_START_MS, toMs: DAY_START_MS + 86_400_000 }
const runs = { numRuns: 15 }

beforeAll(async () => {
  stack = await borrowStack({ engines: ['clickhouse'] })
  client = openClickHouse(stack)
  await migrateClickHouse({ clients: [client], form: { kind: 'single' } })
})
afterAll(async () => {
  await client.close()
  await stack.stop()
})
beforeEach(async () => {
  for (const table of ['snapshots', 'gaps', 'trades', 'perp_snapshots', 'market_days'])
    await client.command({ query: `TRUNCATE TABLE ${table}` })
})

async function insert<Row>(table: RowTable, write: (writer: RowWriter, row: Row) => void, rows: readonly Row[]) {
  const writer = new RowWriter(16)
  for (const row of rows) write(writer, row)
  await rowInserter(client).insertRaw(table, currentSchema(table), [writer.take()])
}

async function dayOfClickHouse(): Promise<number> {
  const answer = await client.query({ query: "SELECT toUInt16(toDate(now('UTC'))) AS day", format: 'JSONEachRow' })
  const [row] = await answer.json<{ day: number }>()
  return row?.day ?? Number.NaN
}

describe('ClickHouse returns exactly the encoded values', () => {
  test('snapshots', async () => {
    const property = fc.asyncProperty(fc.array(anySnapshot, { minLength: 1, maxLength: 20 }), async (snapshots) => {
      await insert('snapshots', writeSnapshot, snapshots)
      for (const snapshot of snapshots)
        expect(await snapshotStore(client).range({ ...snapshot, ...day }, { order: 'asc', limit: 10 })).toEqual([
          snapshot,
        ])
    })
    await fc.assert(property, runs)
  })

  test('gaps, trades and perps', async () => {
    const some = fc.tuple(anyGap, anyTrade, anyPerpSnapshot)
    const property = fc.asyncProperty(some, async ([gap, trade, perp]) => {
      await insert('gaps', writeGap, [gap])
      await insert('trades', writeTrade, [trade])
      await insert('perp_snapshots', writePerpSnapshot, [perp])
      expect(await gapStore(client).range({ ...gap, ...day })).toEqual([gap])
      expect(await tradeStore(client).range({ ...trade, ...day }, { order: 'asc', limit: 10 })).toEqual([trade])
      const span = { fromMs: perp.slot * 500, toMs: perp.slot * 500 + 1 }
      expect(await perpSnapshotStore(client).range({ ...perp, ...span }, { order: 'asc', limit: 10 })).toContainEqual(
        perp,
      )
    })
    await fc.assert(property, runs)
  })

  test('as JSON too', async () => {
    const [snapshot] = fc.sample(anySnapshot, { numRuns: 1, seed: 5 })
    if (snapshot === undefined) throw new Error('no snapshot')
    await insert('snapshots', writeSnapshot, [snapshot])
    const result = await client.query({
      query: `SELECT lower(hex(market_id)) AS market, slot, toUnixTimestamp64Milli(slot_at) AS at,
        toUnixTimestamp64Milli(captured_at) AS captured, toUnixTimestamp64Milli(event_at) AS event,
        toUnixTimestamp64Milli(received_at) AS received, interval_ms, flags, spot_price, spot_age_ms, changes,
        up_bid_prices, up_bid_sizes, up_ask_prices, up_ask_sizes FROM snapshots`,
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    })
    const text = (numbers: readonly number[]) => numbers.map(String)
    const { bids, asks } = snapshot.up
    expect(await result.json()).toEqual([
      {
        market: snapshot.marketId.slice(2),
        slot: String(snapshot.slot),
        at: String(snapshot.slot * snapshot.intervalMs),
        captured: String(snapshot.capturedAtMs),
        event: String(snapshot.eventAtMs),
        received: String(snapshot.receivedAtMs),
        interval_ms: snapshot.intervalMs,
        flags: snapshot.flags,
        spot_price: String(snapshot.spotPrice),
        spot_age_ms: snapshot.spotAgeMs,
        changes: snapshot.changes,
        up_bid_prices: bids.map(({ price }) => price),
        up_bid_sizes: text(bids.map(({ size }) => size)),
        up_ask_prices: asks.map(({ price }) => price),
        up_ask_sizes: text(asks.map(({ size }) => size)),
      },
    ])
  })
})

describe('reading a market', () => {
  const [sample] = fc.sample(anySnapshot, { numRuns: 1, seed: 3 })
  if (sample === undefined) throw new Error('no sample')
  const firstSlot = DAY_START_MS / 250
  const market = { ...sample, intervalMs: 250 }
  const rows = Array.from({ length: 3_000 }, (_, step) => ({ ...market, slot: firstSlot + step, changes: step }))

  test('pages join without overlap in both directions, and duplicates are removed', async () => {
    const store = snapshotStore(client)
    for (const _ of [1, 2, 3]) await insert('snapshots', writeSnapshot, rows)
    for (const order of ['asc', 'desc'] as const) {
      const found: number[] = []
      for (let page = await store.range({ ...market, ...day }, { order, limit: 700 }); page.length > 0; ) {
        found.push(...page.map(({ slot }) => slot))
        const last = found.at(-1) ?? 0
        const rest = order === 'asc' ? { ...day, fromMs: (last + 1) * 250 } : { ...day, toMs: last * 250 }
        page = await store.range({ ...market, ...rest }, { order, limit: 700 })
      }
      const slots = rows.map(({ slot }) => slot)
      expect(found).toEqual(order === 'asc' ? slots : slots.toReversed())
    }
    const [counted] = await marketDayStore(client).days(market.marketId)
    const expected = { day: DAY_START_MS / 86_400_000, intervalMs: 250, firstSlot, lastSlot: firstSlot + 2_999 }
    expect(counted).toEqual({ ...expected, rowCount: 3_000 })
  })

  test('days that are no longer kept count nowhere, also before ClickHouse has deleted them', async () => {
    const onDay = (day: number) => rows.slice(0, 10).map((row, step) => ({ ...row, slot: day * 345_600 + step }))
    const counts = async (today: number, keptDays: number) => {
      await noteRetention(client, { RETENTION_DAYS_SNAPSHOTS: keptDays })
      const list = await new RecentMarkets(client).list({ nowMs: 0, maxAgeMs: 0, open: () => [] })
      const [category] = await platformStatsStore(client).countByCategory({ from: 0, to: 65_535 })
      const days = await marketDayStore(client).days(market.marketId)
      return [days.map(({ day }) => day - today), list.markets[0]?.rowCount, category?.snapshots]
    }
    const all = [[-30, -29, -1], 30, 60]
    // Again when a day of ClickHouse ends meanwhile.
    let today = -1
    let found: unknown[] = []
    while (today !== (await dayOfClickHouse())) {
      today = await dayOfClickHouse()
      for (const table of ['snapshots', 'market_days']) await client.command({ query: `TRUNCATE TABLE ${table}` })
      await insert('snapshots', writeSnapshot, [...onDay(today - 30), ...onDay(today - 29), ...onDay(today - 1)])
      found = [await counts(today, 0), await counts(today, 30), await counts(today, 0)]
    }
    expect(found).toEqual([all, [[-29, -1], 20, 40], all])
  })

  test('rows are kept since the start of the first of the days of the setting, or for ever', async () => {
    const since = async (keptDays: number) => {
      await noteRetention(client, { RETENTION_DAYS_SNAPSHOTS: keptDays })
      return new StoredSince(client).of('snapshots', DAY_START_MS + 1)
    }
    expect([await since(30), await since(0)]).toEqual([DAY_START_MS - 29 * 86_400_000, 0])
  })

  test('the newest before a time is the one at it or the nearest earlier one, within the reach', async () => {
    const store = snapshotStore(client)
    await insert('snapshots', writeSnapshot, rows.slice(0, 10))
    const at = (atMs: number, withinMs: number) => store.latestBefore(market, { atMs, withinMs })
    expect((await at(DAY_START_MS + 1_000, 5_000))?.changes).toBe(4)
    expect((await at(DAY_START_MS + 999, 5_000))?.changes).toBe(3)
    expect((await at(DAY_START_MS + 5_000, 5_000))?.changes).toBe(9)
    expect(await at(DAY_START_MS + 9_000, 5_000)).toBeUndefined()
    expect(await at(DAY_START_MS - 1, 5_000)).toBeUndefined()
  })

  test('a query for one slot reads a few granules, not the day', async () => {
    await insert('snapshots', writeSnapshot, rows)
    const result = await client.query({
      query: `SELECT slot FROM snapshots WHERE market_id = toFixedString(unhex({market:String}), 32) AND slot = ${firstSlot}`,
      query_params: { market: market.marketId.slice(2) },
      format: 'JSON',
    })
    const answer = await result.json<{ slot: string }>()
    expect(answer.data).toHaveLength(1)
    expect(answer.statistics?.rows_read).toBeLessThanOrEqual(1_024)
  })

  test('trades are paged by their whole key, since many share a time and a hash', async () => {
    const [trade] = fc.sample(anyTrade, { numRuns: 1, seed: 3 })
    if (trade === undefined) throw new Error('no trade')
    const trades = Array.from({ length: 50 }, (_, price) => ({
      ...trade,
      price,
      receivedAtMs: trade.receivedAtMs + price,
    }))
    await insert('trades', writeTrade, trades)
    await insert('trades', writeTrade, trades)
    const first = await tradeStore(client).range({ ...trade, ...day }, { order: 'desc', limit: 30 })
    const last = first.at(-1)
    if (last === undefined) throw new Error('no trades')
    const second = await tradeStore(client).range({ ...trade, ...day }, { order: 'desc', limit: 30, after: last })
    expect([...first, ...second]).toEqual(trades.toReversed())
  })
})

test('an extended gap is read once, with its latest end', async () => {
  const [gap] = fc.sample(anyGap, { numRuns: 1, seed: 3 })
  if (gap === undefined) throw new Error('no gap')
  for (const more of [0, 20, 10]) await insert('gaps', writeGap, [{ ...gap, toSlot: gap.toSlot + more }])
  expect(await gapStore(client).range({ ...gap, ...day })).toEqual([{ ...gap, toSlot: gap.toSlot + 20 }])
})

test('invalid row bytes are refused as such, and a missing table is a different error', async () => {
  const rows = rowInserter(client)
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 })
  const property = fc.asyncProperty(bytes, async (data) => {
    await expect(rows.insertRaw('snapshots', 1, [data])).rejects.toBeInstanceOf(RowsRefused)
  })
  await fc.assert(property, { numRuns: 60 })
  await expect(rows.insertRaw('snapshots', 9, [Buffer.alloc(1)])).rejects.toBeInstanceOf(RowsRefused)
  await client.command({ query: 'RENAME TABLE trades TO elsewhere' })
  const refusal = await rows.insertRaw('trades', 1, [Buffer.alloc(1)]).catch((error: unknown) => error)
  await client.command({ query: 'RENAME TABLE elsewhere TO trades' })
  expect(refusal).toBeInstanceOf(Error)
  expect(refusal).not.toBeInstanceOf(RowsRefused)
})

test('facts of a market are stored once, with exact token ids', async () => {
  const tokenIds = ['1'.repeat(77), '9'.repeat(77)] as const
  const market = {
    id: `0x${'ab'.repeat(32)}`,
    venue: 'polymarket',
    tokenIds,
    outcomeNames: ['Up', 'Down'],
    slug: 'btc-updown-5m-1',
    question: 'Bitcoin Up or Down?',
    label: '',
    eventSlug: '',
    eventTitle: '',
    venueKey: '',
    priceGrid: [],
    facts: { version: 'v2' },
    category: 'crypto',
    subcategory: 'BTC',
    timeframe: '5m',
    endsAtMs: DAY_START_MS,
    planId: 'crypto',
    captureIntervalMs: 250,
  } as const
  const facts = marketFactStore(client)
  await facts.put([{ market, publishedAtMs: DAY_START_MS + 1 }])
  await facts.put([{ market: { ...market, slug: 'old' }, publishedAtMs: DAY_START_MS }])
  const query = "SELECT concat(up_token_id, ' ', down_token_id, ' ', coin, ' ', slug) FROM market_facts FINAL"
  expect(await valuesOf(client, query)).toEqual([`${tokenIds.join(' ')} BTC btc-updown-5m-1`])
})

import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import type { ClickHouseClient } from '@clickhouse/client'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Ladders } from '../../src/domain/book.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { type Snapshot, writeSnapshot } from '../../src/domain/rows/snapshot.ts'
import { tokenSnapshotOf } from '../../src/endpoints/schemas/snapshot.ts'
import { bookBody, timesText } from '../../src/gateway/frames/render-row.ts'
import { binaryRowAt } from '../../src/gateway/frames/stream-row.ts'
import { renderTokenSnapshots } from '../../src/rendering/token-snapshots.ts'
import { rowInserter } from '../../src/stores/books/row-inserter.ts'
import { CAPTURED, OF_MARKET, slotParams } from '../../src/stores/books/slot-sql.ts'
import { snapshotPageStore } from '../../src/stores/books/snapshot-pages.ts'
import { tokenRowParams, tokenRowsSql } from '../../src/stores/books/token-rows-sql.ts'
import { migrateClickHouse } from '../../src/stores/engines/clickhouse-migrations.ts'
import { openClickHouse } from './open-clickhouse.ts'
import { anySnapshot, DAY_START_MS } from './random-rows.ts'

const MARKET = { venue: 'polymarket', id: `0x${'ab'.repeat(32)}`, tokenIds: ['1'.repeat(77), '2'.repeat(77)] as const }
const INTERVAL_MS = 250
const FIRST_SLOT = DAY_START_MS / INTERVAL_MS
const SUSPECT = { fromSlot: FIRST_SLOT + 3, toSlot: FIRST_SLOT + 5 }
/** Five sizes must add up to a safe integer. */
const LARGEST_SIZE = 2 ** 45

let stack: Stack
let client: ClickHouseClient

beforeAll(async () => {
  stack = await borrowStack({ engines: ['clickhouse'] })
  client = openClickHouse(stack)
  await migrateClickHouse({ clients: [client], form: { kind: 'single' } })
})
afterAll(async () => {
  await client.close()
  await stack.stop()
})

test('REST text, REST objects, SQL and stream frames show the same values for random rows', async () => {
  const anyRows = fc.array(anySnapshot, { minLength: 1, maxLength: 12 }).map((rows) => rows.map(ofMarket))
  const property = fc.asyncProperty(anyRows, fc.boolean(), async (snapshots, includeBook) => {
    await client.command({ query: 'TRUNCATE TABLE snapshots' })
    const writer = new RowWriter()
    for (const snapshot of snapshots) writeSnapshot(writer, snapshot)
    await rowInserter(client).insertRaw('snapshots', 1, [writer.take()])
    const range = {
      marketId: MARKET.id,
      intervalMs: INTERVAL_MS,
      fromSlot: FIRST_SLOT,
      toSlot: FIRST_SLOT + snapshots.length - 1,
      fromMs: 0,
      toMs: DAY_START_MS * 2,
    }
    const rows = await snapshotPageStore(client).rows(range, { order: 'asc', limit: 100, includeBook: true })
    const tokens = snapshots.flatMap((_, index) => [0, 1].map((outcome) => ({ index, outcome: outcome as 0 | 1 })))
    const isSuspect = (slot: number): boolean => slot >= SUSPECT.fromSlot && slot <= SUSPECT.toSlot
    const text = JSON.parse(renderTokenSnapshots(MARKET, rows, tokens, { includeBook, isSuspect }))

    const objects = tokens.map(({ index, outcome }) => {
      const snapshot = rows.row(index)
      return tokenSnapshotOf(MARKET, snapshot, { outcome, includeBook, isSuspect: isSuspect(snapshot.slot) })
    })
    expect(objects).toEqual(text)
    expect(await sqlForm(range, includeBook)).toEqual(text)

    for (const [index] of snapshots.entries()) {
      const row = binaryRowAt(rows, index)
      const frame = JSON.parse(`{${timesText(row, 'book', 'hash')}${bookBody(row, 1_000).toString()}`)
      const [up, down] = JSON.parse(
        renderTokenSnapshots(MARKET, rows, [tokens[index * 2], tokens[index * 2 + 1]].filter(isGiven), {
          includeBook: true,
          isSuspect: () => false,
        }),
      )
      expect(frame.up).toEqual({ bids: up.bids, asks: up.asks })
      expect(frame.down).toEqual({ bids: down.bids, asks: down.asks })
      expect(frame.spot?.price ?? null).toBe(up.spot_crypto_usd)
      expect(frame.captured_at).toBe(Date.parse(up.capture_timestamp))
      const common = frame.flags.filter((flag: string) => !flag.includes('verified'))
      expect(common).toEqual(up.flags.filter((flag: string) => !flag.includes('verified')))
      for (const flag of ['verified', 'unverified']) {
        expect(frame.flags.includes(`${flag}_up`)).toBe(up.flags.includes(flag))
        expect(frame.flags.includes(`${flag}_down`)).toBe(down.flags.includes(flag))
      }
      expect(frame.proof).toBe(up.proof)
    }
  })
  await fc.assert(property, { numRuns: 15 })
})

/** The rows of a Parquet file, read as JSON. */
async function sqlForm(
  range: Parameters<typeof slotParams>[0] & { fromMs: number; toMs: number },
  includeBook: boolean,
) {
  const page = {
    order: 'asc',
    includeBook,
    outcomes: [0, 1],
    conditionId: MARKET.id,
    tokenIds: MARKET.tokenIds,
    proof: 'hash',
    first: { slot: range.fromSlot, outcome: 0 },
    last: { slot: range.toSlot, outcome: 1 },
    suspect: [SUSPECT],
  } as const
  const found = await client.query({
    query: tokenRowsSql(`${OF_MARKET} AND ${CAPTURED}`, page),
    query_params: {
      market: MARKET.id.slice(2),
      ...slotParams(range),
      fromMs: range.fromMs,
      toMs: range.toMs,
      ...tokenRowParams(page),
    },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  })
  const rows = await found.json<{ event_timestamp: string; capture_timestamp: string }>()
  return rows.map((row) => ({
    ...row,
    event_timestamp: isoOf(row.event_timestamp),
    capture_timestamp: isoOf(row.capture_timestamp),
  }))
}

function isoOf(text: string): string {
  return new Date(`${text.replace(' ', 'T')}Z`).toISOString()
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined
}

function ofMarket(snapshot: Snapshot, index: number): Snapshot {
  const place = { marketId: MARKET.id, intervalMs: INTERVAL_MS, slot: FIRST_SLOT + index }
  return { ...snapshot, ...place, up: smaller(snapshot.up), down: smaller(snapshot.down) }
}

function smaller({ bids, asks }: Ladders): Ladders {
  const cut = (levels: Ladders['bids']) => levels.map(({ price, size }) => ({ price, size: size % LARGEST_SIZE }))
  return { bids: cut(bids), asks: cut(asks) }
}

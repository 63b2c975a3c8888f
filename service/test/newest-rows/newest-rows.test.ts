import { type Stack, startStack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PERP_INTERVAL_MS } from '../../src/domain/plan.ts'
import { type PerpSnapshot, writePerpSnapshot } from '../../src/domain/rows/perp-snapshot.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { marketKey, NEWEST_ROWS, NewestRows } from '../../src/stores/books/newest-rows.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { marketIdOf, rowOf, snapshotOf } from './snapshot-rows.ts'
import { untilReady } from './until-ready.ts'

let nextMarket = 0
const freshMarket = () => marketIdOf(`latest ${nextMarket++}`)
const slots = (rows: { slot: number }[]) => rows.map(({ slot }) => slot)
const newestOf = (all: readonly number[]) => [...new Set(all)].sort((a, b) => b - a).slice(0, NEWEST_ROWS)

describe.each<[what: string, start: () => Promise<Stack>]>([
  ['one Redis', () => borrowStack({ engines: ['redis'] })],
  ['a Redis cluster', () => startStack({ engines: ['redis'], redisNodes: 3 })],
])('%s', (_, start) => {
  let stack: Stack
  let one: RedisConnection
  let other: RedisConnection
  let newestRows: NewestRows
  beforeAll(async () => {
    stack = await start()
    one = new RedisConnection({ url: stack.variable('REDIS_URL'), answerWithinMs: 5_000 })
    other = new RedisConnection({ url: stack.variable('REDIS_URL'), answerWithinMs: 5_000 })
    newestRows = new NewestRows(one)
    await Promise.all([untilReady(one), untilReady(other)])
  })
  afterAll(async () => {
    await one.close()
    await other.close()
    await stack.stop()
  })

  test('a row is read as it was sampled', async () => {
    const id = freshMarket()
    await newestRows.put([rowOf(id, 7_000_000_000)])
    expect(await newestRows.read(id)).toEqual([snapshotOf(id, 7_000_000_000)])
  })

  test('the newest five rows are kept, newest first, however they are shuffled, repeated, split and raced by two writers', async () => {
    const second = new NewestRows(other)
    const slotList = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(slotList, slotList, fc.integer({ min: 1, max: 30 }), async (mine, theirs, cut) => {
        const id = freshMarket()
        const rowsOf = (list: number[]) => list.map((slot) => rowOf(id, slot))
        await Promise.all([
          newestRows.put(rowsOf(mine.slice(0, cut))),
          second.put(rowsOf(theirs)),
          newestRows.put(rowsOf(mine.slice(cut))),
          second.put(rowsOf(mine.slice(0, 3))),
        ])
        const newest = newestOf([...mine, ...theirs])
        expect(slots(await newestRows.read(id))).toEqual(newest)
        expect(await one.ask((client) => client.lLen(marketKey(id)))).toBe(newest.length)
      }),
      { numRuns: 150 },
    )
  })

  test('slots above 32 bits are compared as whole numbers', async () => {
    const id = freshMarket()
    const base = 2 ** 33
    await newestRows.put([base - 1, base, base + 1, 5].map((slot) => rowOf(id, slot)))
    expect(slots(await newestRows.read(id))).toEqual([base + 1, base, base - 1, 5])
  })

  test('thousands of rows are written in one call, and many markets read at once; unknown ones are left out', async () => {
    const ids = Array.from({ length: 700 }, freshMarket)
    await newestRows.put([10, 11, 12].flatMap((slot) => ids.map((id) => rowOf(id, slot))))
    const unknown = freshMarket()
    const newest = await newestRows.readMany([...ids, unknown])
    expect(newest.size).toBe(700)
    expect([...newest.values()].every((rows) => rows.length === 1 && rows[0]?.slot === 12)).toBe(true)
    const three = await newestRows.readMany(ids.slice(0, 2), NEWEST_ROWS)
    expect([...three.values()].map(slots)).toEqual([
      [12, 11, 10],
      [12, 11, 10],
    ])
    expect(await newestRows.read(unknown)).toEqual([])
  })

  test('the markets with the newest rows are listed, and a late row makes no market look newer', async () => {
    const [ahead, behind] = [freshMarket(), freshMarket()]
    const far = 9_000_000_000
    await newestRows.put([rowOf(ahead, far), rowOf(behind, far - 1)])
    await newestRows.put([rowOf(ahead, far - 4), rowOf(behind, far - 5)])
    expect(await newestRows.recent(2)).toEqual([
      { marketId: ahead, slotAtMs: far * 250 },
      { marketId: behind, slotAtMs: (far - 1) * 250 },
    ])
  })

  test('a market without new rows expires, a live one does not', async () => {
    const shortLived = new NewestRows(one, { expireAfterMs: 60 })
    const id = freshMarket()
    await shortLived.put([rowOf(id, 1)])
    await expect.poll(() => shortLived.read(id)).toEqual([])
    const key = await one.ask((client) => client.pTTL(marketKey(id)))
    expect(key).toBe(-2)
  })

  test('the newest row of a perp is kept, by venue and symbol', async () => {
    const writer = new RowWriter()
    const perpRow = (symbol: string, slot: number) => {
      const touch = { bidPrice: 1, bidSize: 2, askPrice: 3, askSize: 4, eventAtMs: 5 }
      const level = { price: 100, size: 10, orders: 2 }
      const times = { intervalMs: PERP_INTERVAL_MS, capturedAtMs: slot * 500, eventAtMs: 1, receivedAtMs: 2 }
      const ladders = { bids: [level], asks: [level, level] }
      const row: PerpSnapshot = { venue: 'hyperliquid', symbol, slot, ...times, ladders, touch }
      writePerpSnapshot(writer, row)
      return { row, put: { venue: row.venue, symbol, slot, schema: 1, bytes: writer.take() } }
    }
    const rows = [perpRow('BTC', 4), perpRow('DOGE', 9), perpRow('BTC', 6), perpRow('BTC', 5)]
    await newestRows.putPerps(rows.map(({ put }) => put))
    await newestRows.putPerps([perpRow('DOGE', 8).put])
    expect(await newestRows.readPerp('hyperliquid', 'BTC')).toEqual(rows[2]?.row)
    expect(await newestRows.readPerp('hyperliquid', 'DOGE')).toEqual(rows[1]?.row)
    expect(await newestRows.readPerp('elsewhere', 'BTC')).toBeUndefined()
  })
})

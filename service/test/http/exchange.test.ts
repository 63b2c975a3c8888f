import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type PerpSnapshot,
  perpMarketId,
  perpSnapshotSchema,
  writePerpSnapshot,
} from '../../src/domain/rows/perp-snapshot.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { archiveGaps, archivePerps } from './snapshots-scene.ts'

let service: TestService
let key: string

const NOW = WORLD_NOW_MS
const VENUE = 'hyperliquid'
/** Long before the recorded rows. */
const FIRST = Math.floor(NOW / 500) - 2 * 30 * 3_600
const HOLE = { from: FIRST + 100, to: FIRST + 5_099 }
const LAST = FIRST + 5_199

function perpRow(symbol: string, slot: number, changed: Partial<PerpSnapshot> = {}): PerpSnapshot {
  const level = (price: number) => ({ price: price * 1_000_000, size: 1_500_000, orders: 2 })
  return {
    venue: VENUE,
    symbol,
    slot,
    intervalMs: 500,
    capturedAtMs: slot * 500 + ((slot * 7) % 150),
    eventAtMs: slot * 500 - 100,
    receivedAtMs: slot * 500 - 50,
    ladders: { bids: [level(100), level(99)], asks: [level(101)] },
    touch: { bidPrice: 100_500_000, bidSize: 2_000_000, askPrice: 100_750_000, askSize: 0, eventAtMs: slot * 500 - 20 },
    ...changed,
  }
}

function bytesOf(rows: readonly PerpSnapshot[]): Buffer {
  const writer = new RowWriter()
  for (const row of rows) writePerpSnapshot(writer, row)
  return writer.take()
}

async function putInRedis(row: PerpSnapshot): Promise<void> {
  const { venue, symbol, slot } = row
  await service.stores.newestRows.putPerps([
    { venue, symbol, slot, schema: perpSnapshotSchema.current, bytes: bytesOf([row]) },
  ])
}

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  key = await service.keyOf('scale')
  const slots = Array.from({ length: LAST - FIRST + 1 }, (_, index) => FIRST + index)
  const rows = slots.filter((slot) => slot < HOLE.from || slot > HOLE.to).map((slot) => perpRow('DOGE', slot))
  await archivePerps(service, rows)
  await archivePerps(service, rows.slice(10, 20))
  await archiveGaps(service, [
    {
      marketId: perpMarketId(VENUE, 'DOGE'),
      fromSlot: HOLE.from,
      toSlot: HOLE.to,
      knownAtSlot: HOLE.from,
      cause: 'venue_silent',
      kind: 'missing',
      intervalMs: 500,
      detail: '',
    },
  ])
})

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (path: string, asking = { key }) => service.ask(`/v1/exchange/${path}`, asking)

describe('GET /v1/exchange/snapshots', () => {
  const slotsOf = (body: { sequence_number: number }[]): number[] => body.map(({ sequence_number }) => sequence_number)

  test('a row has the stored values, and the best prices beside the book', async () => {
    const { body } = await ask(`snapshots?symbol=doge&from=${FIRST * 500}&limit=1`)
    expect(body).toEqual([
      {
        exchange: 'hyperliquid_perp',
        symbol: 'DOGE',
        timestamp: new Date(perpRow('DOGE', FIRST).capturedAtMs).toISOString(),
        best_bid: 100,
        best_ask: 101,
        mid_price: 100.5,
        spread: 1,
        bid_depth_total: 3,
        ask_depth_total: 1.5,
        bids: [
          [100, 1.5],
          [99, 1.5],
        ],
        asks: [[101, 1.5]],
        sequence_number: FIRST,
        event_timestamp: new Date(FIRST * 500 - 100).toISOString(),
        touch_bid: 100.5,
        touch_bid_size: 2,
        touch_ask: 100.75,
        touch_ask_size: null,
        touch_timestamp: new Date(FIRST * 500 - 20).toISOString(),
        proof: 'none',
        venue: 'hyperliquid',
      },
    ])
  })

  test.each(['asc', 'desc'])('%s pages return every row once, in order, across a gap', async (order) => {
    const [from, to] = [perpRow('DOGE', FIRST + 3).capturedAtMs, perpRow('DOGE', LAST).capturedAtMs]
    const seen: number[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { body, headers, status, text } = await ask(
        `snapshots?symbol=DOGE&from=${from}&to=${to}&order=${order}&limit=41${cursor && `&cursor=${cursor}`}`,
      )
      expect(status, text).toBe(200)
      seen.push(...slotsOf(body))
      cursor = headers['x-next-cursor']
    }
    const all = Array.from({ length: LAST - FIRST - 3 }, (_, index) => FIRST + 3 + index)
    const expected = all.filter((slot) => slot < HOLE.from || slot > HOLE.to)
    expect(seen).toEqual(order === 'asc' ? expected : expected.toReversed())
  })

  test('without a time the newest come first, and the range is returned', async () => {
    const { body, headers } = await ask('snapshots?symbol=BTC&limit=3')
    const slots = slotsOf(body)
    expect(slots).toEqual(slots.toSorted((one, other) => other - one))
    expect(slots[0]).toBe(WORLD_NOW_MS / 500)
    expect(Date.parse(headers['x-from'] ?? '')).toBe(WORLD_NOW_MS - 86_400_000)
  })

  test('an empty list gives the reason', async () => {
    const inGap = await ask(`snapshots?symbol=DOGE&from=${(HOLE.from + 50) * 500}&to=${(HOLE.from + 90) * 500}`)
    expect([inGap.body, inGap.headers['x-empty-reason']]).toEqual([[], 'gap'])
    const before = await ask(`snapshots?symbol=DOGE&to=${(FIRST - 500) * 500}`)
    expect([before.body, before.headers['x-empty-reason']]).toEqual([[], 'outside_capture'])
  })
})

describe('a perp book that is not live', () => {
  const book = () => ask('orderbook?symbol=XRP&exchange=hyperliquid_perp')

  test('is `No recent data`: an empty side, a sample older than a minute, a book that the venue stopped renewing', async () => {
    const slot = Math.floor(WORLD_NOW_MS / 500) + 10
    const fresh = { capturedAtMs: WORLD_NOW_MS, eventAtMs: WORLD_NOW_MS - 100 }
    const whole = perpRow('XRP', slot, fresh)
    await putInRedis(whole)
    expect((await book()).status).toBe(200)
    const worse: Partial<PerpSnapshot>[] = [
      { ladders: { ...whole.ladders, asks: [] } },
      { capturedAtMs: WORLD_NOW_MS - 61_000 },
      { eventAtMs: WORLD_NOW_MS - 61_000 },
    ]
    for (const [index, change] of worse.entries()) {
      await putInRedis(perpRow('XRP', slot + 1 + index, { ...fresh, ...change }))
      const { status, body, headers } = await book()
      expect([status, body.error, body.message]).toEqual([404, 'no_recent_data', 'No recent data'])
      expect(headers['retry-after']).toBe('1')
    }
  })
})

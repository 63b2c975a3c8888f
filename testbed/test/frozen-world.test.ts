import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answered, TestService } from '../src/service/test-service.ts'
import type { FrozenWorld } from '../src/world/frozen-world.ts'

let service: TestService
let world: FrozenWorld
let key: string

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  world = service.world
  key = await service.keyOf('enterprise')
})

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = async (path: string): Promise<Answered['body']> => (await service.ask(path, { key })).body

describe('the frozen world', () => {
  test('a window that ended has every slot as a row or in its one gap, and its outcome is known', async () => {
    const { ended5m } = world
    expect(await ask(`/v1/markets/${ended5m.id}/gaps`)).toMatchObject({
      recorded_from: '2026-10-14T11:54:00.000Z',
      recorded_to: '2026-10-14T12:00:58.000Z',
      coverage: { expected_slots: 1_672, stored_slots: 1_648, missing_slots: 24 },
      unaccounted_slots: 0,
      gap_count: 1,
      gaps: [{ from: '2026-10-14T11:57:00.000Z', to: '2026-10-14T11:57:06.000Z', cause: 'disconnected', slots: 24 }],
    })
    expect(await ask(`/v1/markets/by-slug/${ended5m.slug}`)).toMatchObject({
      status: 'expired',
      resolved_outcome: 'UP',
    })
    expect(world.countsOf(ended5m.id)).toEqual({ rows: 1_648, trades: 35, contexts: 0 })
    expect(world.gapsOf(world.ended5mWithoutGap.id)).toEqual([])
  })

  test('the clock stands, so the same windows are live in every test', async () => {
    const live = await ask('/v1/markets/live')
    expect(live).toHaveLength(27)
    expect(await ask('/v1/markets/live?venue=kalshi')).toHaveLength(2)
    expect(new Set(live.map(({ category }: { category: string }) => category)).size).toBe(6)
    const windows = await ask('/v1/markets/live?crypto=btc&timeframe=5m')
    expect(windows).toMatchObject([
      { conditionId: world.live5m.id, status: 'live', expiresIn: 150_000 },
      { conditionId: world.next5m.id, status: 'upcoming', expiresIn: 450_000 },
    ])
  })

  test('the newest book is of this moment, and proved', async () => {
    for (const { id, venue } of [world.hot, world.live5m, world.liveKalshi]) {
      const book = await ask(`/v1/markets/${id}/orderbook`)
      expect(book).toMatchObject({ stale: false, age_ms: 0, up: { captureTimestamp: world.nowMs } })
      expect(book.up.flags.includes('verified')).toBe(venue === 'polymarket')
    }
  })

  test('perps have books, trades and contexts', async () => {
    for (const symbol of world.perps) expect(world.countsOf(symbol)).toMatchObject({ rows: 301 })
    const book = await ask(`/v1/exchange/orderbook?exchange=hyperliquid&symbol=${world.perp}`)
    expect(book).toMatchObject({ symbol: world.perp })
    const trades = await ask(`/v1/exchange/trades?exchange=hyperliquid&symbol=${world.perp}&limit=500`)
    expect(trades).toMatchObject({ trades: { length: world.countsOf(world.perp).trades } })
  })

  test('another start serves the same bytes', async () => {
    await using other = await TestService.start({ world: 'frozen' })
    const otherKey = await other.keyOf('enterprise')
    const { ended5m, hot, liveKalshi, perp } = world
    for (const path of [
      '/v1/markets/live',
      `/v1/markets/${hot.id}/orderbook`,
      `/v1/markets/${liveKalshi.id}/snapshots?limit=100`,
      `/v1/markets/${ended5m.id}/bars?interval=1m`,
      `/v1/markets/${ended5m.id}/summary`,
      `/v1/trades?marketId=${ended5m.id}`,
      `/v1/exchange/snapshots?exchange=hyperliquid&symbol=${perp}&limit=20`,
    ]) {
      const [one, two] = [await service.ask(path, { key }), await other.ask(path, { key: otherKey })]
      expect(one.status, path).toBe(200)
      expect(two.text, path).toBe(one.text)
    }
  })
})

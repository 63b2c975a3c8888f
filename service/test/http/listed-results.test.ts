import {
  archive,
  list,
  madeMarket,
  madeRow,
  storeFacts,
  storeSettlements,
} from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const LIVE = '/v1/markets/live'
const HISTORY = ['/v1/markets/history', '/v1/markets/history/recent']

const nowMs = Date.now()
const windowOf = (endsAtMs: number) =>
  ({ timeframe: '15m', outcomeNames: ['Up', 'Down'], startsAtMs: endsAtMs - 15 * MINUTE_MS, endsAtMs }) as const
const game = { category: 'sports', subcategory: 'NBA', timeframe: 'game', planId: 'sports' } as const

const won = madeMarket('won', windowOf(nowMs - HOUR_MS))
const split = madeMarket('split', { ...game, endsAtMs: nowMs - HOUR_MS })
const running = madeMarket('running', windowOf(nowMs + 5 * MINUTE_MS))
const plain = madeMarket('plain', { ...game, endsAtMs: nowMs + HOUR_MS })
/** Its facts and rows are stored, but PostgreSQL does not know it. */
const forgotten = madeMarket('forgotten', windowOf(nowMs - 2 * HOUR_MS))

const resolvedAtMs = nowMs - 50 * MINUTE_MS
const instant = (atMs: number) => new Date(atMs).toISOString()
const usd = (units: number) => BigInt(units) * 10n ** 18n

const WON = {
  resolved_outcome: 'DOWN',
  resolved_at: instant(resolvedAtMs),
  price_to_beat: 600,
  price_to_beat_source: 'polymarket',
  price_to_beat_at: instant(won.startsAtMs ?? 0),
  settlement_price: 590,
  settlement_price_source: 'twap60',
  settlement_price_at: instant(won.endsAtMs),
}
const NAMES = Object.keys(WON)
const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

let service: TestService
let key: string

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('enterprise')
  const known = [won, split, running, plain]
  await list(service, known, [
    { marketId: won.id, winner: 1, resolvedAtMs },
    { marketId: split.id, resolvedAtMs },
  ])
  await storeFacts(service, [...known, forgotten])
  await archive(
    service,
    [...known, forgotten].map((market) => madeRow(market, { atMs: Math.min(market.endsAtMs - MINUTE_MS, nowMs) })),
  )
  const startsAtMs = won.startsAtMs ?? 0
  const price = { settlesAtMs: startsAtMs, priceAtMs: startsAtMs, knownAtMs: nowMs }
  await storeSettlements(service, [
    { ...price, marketId: won.id, point: 'start', source: 'binance', price: usd(601) },
    { ...price, marketId: won.id, point: 'start', source: 'polymarket', price: usd(600) },
    {
      ...price,
      marketId: won.id,
      point: 'end',
      source: 'twap60',
      price: usd(590),
      settlesAtMs: won.endsAtMs,
      priceAtMs: won.endsAtMs,
    },
    { ...price, marketId: running.id, point: 'start', source: 'twap60', price: usd(605) },
    { ...price, marketId: forgotten.id, point: 'start', source: 'twap60', price: usd(610) },
  ])
  await vi.waitUntil(() => service.stores.catalogue.byId(running.id, Date.now()) !== undefined, { timeout: 120_000 })
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (path: string) => service.ask(path, { key })

/** The members of results that an entry has, in the names of the history lists. */
function resultIn(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    NAMES.flatMap((name) => [name, camel(name)].flatMap((member) => (member in entry ? [[name, entry[member]]] : []))),
  )
}

async function listed(path: string): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const { status, body, text } = await ask(path)
  expect(status, text).toBe(200)
  const entries: Record<string, unknown>[] = Array.isArray(body) ? body : body.markets
  return new Map(entries.map((entry) => [String(entry.conditionId ?? entry.market_id), resultIn(entry)]))
}

describe(LIVE, () => {
  test('a resolved market has its outcome and the prices that decided it, those of the venue first', async () => {
    const found = await listed(`${LIVE}?status=expired&limit=500&results=true`)
    expect(found.get(won.id)).toEqual(WON)
    expect(found.get(split.id)).toEqual({ resolved_outcome: 'SPLIT', resolved_at: instant(resolvedAtMs) })
  })

  test('an open window has only the price to beat, and a game has nothing', async () => {
    const found = await listed(`${LIVE}?limit=500&results=true`)
    expect(found.get(running.id)).toMatchObject({ price_to_beat: 605, price_to_beat_source: 'twap60' })
    expect(Object.keys(found.get(running.id) ?? {})).toHaveLength(3)
    expect(found.get(plain.id)).toEqual({})
  })

  test('form=declared has no results', async () => {
    const { status, body } = await ask(`${LIVE}?limit=5&results=true&form=declared`)
    expect([status, body.error]).toEqual([400, 'invalid_request'])
    expect(body.message).toContain('results must be left out with form=declared')
  })
})

describe.each(HISTORY)('%s', (path) => {
  test('a market has its outcome and its prices as far as they are known', async () => {
    const found = await listed(`${path}?limit=500&results=true`)
    expect(found.get(won.id)).toEqual(WON)
    expect(found.get(split.id)).toEqual({ resolved_outcome: 'SPLIT', resolved_at: instant(resolvedAtMs) })
    expect(found.get(running.id)).toMatchObject({ price_to_beat: 605 })
    expect(found.get(plain.id)).toEqual({})
    expect(found.get(forgotten.id)).toMatchObject({ price_to_beat: 610 })
  })

  test('a request without results is not changed by one with results', async () => {
    await listed(`${path}?limit=500&results=true`)
    const found = await listed(`${path}?limit=500`)
    expect([...found.values()].every((result) => Object.keys(result).length === 0)).toBe(true)
  })
})

describe.each([LIVE, ...HISTORY])('%s', (path) => {
  test('without the flag no entry has a result', async () => {
    const expired = path === LIVE ? '&status=expired' : ''
    const found = await listed(`${path}?limit=500&results=false${expired}`)
    expect(found.get(won.id)).toEqual({})
  })
})

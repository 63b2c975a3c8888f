import { archive, list, madeMarket, madeRow, putInRedis, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SNAPSHOT_FLAGS } from '../../src/domain/rows/snapshot.ts'

const NOW = Date.now()
const MINUTE_MS = 60_000
const { verifiedUp, verifiedDown } = SNAPSHOT_FLAGS
const PROVED = verifiedUp | verifiedDown
const window = (name: string, venue: string, agoMs: number, changed = {}) => {
  const startsAtMs = NOW - agoMs - MINUTE_MS
  const times = { startsAtMs, endsAtMs: startsAtMs + 15 * MINUTE_MS }
  return madeMarket(name, { venue, subcategory: 'DOGE', timeframe: '15m', ...times, ...changed })
}
const KX1 = { slug: 'kx-1', tokenIds: ['KX-1:yes', 'KX-1:no'] } as const
const ours = window('ours', 'polymarket', 0, { slug: 'doge-ours' })
/** It ends before ours, so that a lookup without a venue would find it first. */
const theirs = window('theirs', 'kalshi', MINUTE_MS, KX1)
const ended = window('ended', 'kalshi', 60 * MINUTE_MS, { slug: 'kx-0' })
/** Only ClickHouse knows it. */
const forgotten = window('forgotten', 'kalshi', 120 * MINUTE_MS, { slug: 'kx-forgotten' })

let service: TestService
let key: string

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('enterprise')
  await list(service, [ours, theirs, ended], [{ marketId: ended.id, winner: 1, resolvedAtMs: NOW }])
  await storeFacts(service, [ours, theirs, ended, forgotten])
  await archive(service, [
    madeRow(ours, { atMs: NOW - 5_000, flags: PROVED }),
    madeRow(theirs, { atMs: NOW - 5_000, flags: PROVED }),
    madeRow(theirs, { atMs: NOW - 4_750 }),
    madeRow(ended, { atMs: ended.endsAtMs - MINUTE_MS }),
    madeRow(forgotten, { atMs: forgotten.endsAtMs - MINUTE_MS }),
  ])
  await putInRedis(service, [
    madeRow(ours, { atMs: NOW, flags: PROVED }),
    madeRow(theirs, { atMs: NOW, flags: PROVED }),
  ])
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = async (path: string) => (await service.ask(path, { key })).body
const idsOf = (entries: Record<string, unknown>[]): string[] =>
  entries.map((each) => String(each.conditionId ?? each.market_id ?? each.condition_id)).toSorted()
const idsIn = (...markets: { id: string }[]) => markets.map(({ id }) => id).toSorted()

describe('a list has markets of the first venue, unless the request names another or all', () => {
  test.each([
    ['/v1/markets/live', [ours], [theirs], (body: []) => body],
    ['/v1/markets/live?form=declared', [ours], [theirs], (body: { markets: [] }) => body.markets],
    ['/v1/markets/live?status=expired', [], [ended], (body: []) => body],
    ['/v1/markets/history', [ours], [theirs, ended, forgotten], (body: { markets: [] }) => body.markets],
    ['/v1/markets/history/recent', [ours], [theirs, ended, forgotten], (body: { markets: [] }) => body.markets],
    ['/api/snapshot/latest', [ours], [theirs], (body: []) => body],
    ['/api/snapshot/latest?form=declared', [ours], [theirs], (body: []) => body],
  ])('%s', async (path, first, second, entriesIn) => {
    const listed = async (venue: string) =>
      entriesIn((await ask(`${path}${path.includes('?') ? '&' : '?'}${venue}`)) as never)
    for (const [query, markets] of [
      ['', first],
      ['venue=polymarket', first],
      ['venue=kalshi', second],
      ['venue=all', [...first, ...second]],
    ] as const) {
      const entries: { venue: string }[] = await listed(query)
      expect([query, idsOf(entries)]).toEqual([query, idsIn(...markets)])
      const venueOf = (id: unknown) => markets.find((market) => market.id === id)?.venue
      // A declared answer has exactly the declared members.
      if (path.endsWith('form=declared')) continue
      for (const entry of entries) expect(entry.venue).toBe(venueOf(idsOf([entry])[0]))
    }
  })

  test('the number of markets of a category', async () => {
    const counts = await Promise.all(
      ['', '?venue=kalshi', '?venue=all'].map(async (query) => {
        const plans: { id: string; activeMarkets: number }[] = await ask(`/v1/categories${query}`)
        return plans.find(({ id }) => id === 'crypto')?.activeMarkets
      }),
    )
    expect(counts).toEqual([1, 1, 2])
  })
})

describe('a slug is one of the first venue, unless the request names another or all', () => {
  test.each([theirs, ended, forgotten])('$slug', async ({ slug, id }) => {
    expect((await service.ask(`/v1/markets/by-slug/${slug}`, { key })).status).toBe(404)
    for (const venue of ['kalshi', 'all']) {
      expect(await ask(`/v1/markets/by-slug/${slug}?venue=${venue}`)).toMatchObject({ market_id: id, venue: 'kalshi' })
    }
  })

  test('a series is that of the venue, also at a time in the past', async () => {
    const found = async (slug: string, venue = '') => (await ask(`/v1/markets/by-slug/${slug}${venue}`)).market_id
    expect(await found('doge-updown-15m')).toBe(ours.id)
    expect(await found('doge-updown-15m', '?venue=kalshi')).toBe(theirs.id)
    for (const past of [ended, forgotten]) {
      const slug = `doge-updown-15m-${past.endsAtMs - MINUTE_MS}`
      // No window of the first venue has this time, so it is the current one.
      expect(await found(slug)).toBe(ours.id)
      expect(await found(slug, '?venue=kalshi')).toBe(past.id)
    }
  })

  test('books by slug and books as of a time', async () => {
    expect((await service.ask('/v1/markets/by-slug/kx-1/orderbook', { key })).status).toBe(404)
    expect(await ask('/v1/markets/by-slug/kx-1/orderbook?venue=kalshi')).toMatchObject({
      market_id: theirs.id,
      venue: 'kalshi',
    })
    const asOf = async (venue: string) =>
      (await ask(`/v1/asof?markets=kx-1,${theirs.id}&timestamp=${NOW - 4_000}${venue}`)).markets
    expect(await asOf('')).toMatchObject([
      { status: 'unknown', venue: null },
      { market_id: theirs.id, venue: 'kalshi' },
    ])
    expect(await asOf('&venue=kalshi')).toMatchObject([{ market_id: theirs.id }, { market_id: theirs.id }])
  })

  test('a condition id needs no venue', async () => {
    for (const { id, slug } of [theirs, ended, forgotten]) {
      expect(await ask(`/v1/markets/by-slug/${id}`)).toMatchObject({ slug, venue: 'kalshi' })
    }
  })

  test('an ended window names the request for the current window of its venue', async () => {
    const { message } = await ask(`/v1/markets/${ended.id}/orderbook`)
    expect(message).toContain('/v1/markets/by-slug/doge-updown-15m/orderbook?venue=kalshi')
  })
})

test.each([
  'orderbook',
  'orderbook?form=declared',
  'depth',
  'execution?side=UP&action=buy&size=1',
  'summary',
  'snapshots',
  'snapshots?form=declared',
  'snapshots?dry_run=true',
  'bars',
  'gaps',
])('an answer about a market tells its venue: %s', async (path) => {
  expect(await ask(`/v1/markets/${theirs.id}/${path}`)).toMatchObject({ venue: 'kalshi' })
  expect(await ask(`/v1/markets/${ours.id}/${path}`)).toMatchObject({ venue: 'polymarket' })
})

test.each([`/v1/trades?marketId=${theirs.id}`, `/api/snapshot?marketId=${theirs.id}&timestamp=${NOW - 5_000}`])(
  'an answer about a market tells its venue: %s',
  async (path) => expect(await ask(path)).toMatchObject({ venue: 'kalshi' }),
)

test('a file tells its venue in a header', async () => {
  const { headers } = await service.ask(`/v1/markets/${theirs.id}/snapshots?format=csv`, { key })
  expect(headers['x-venue']).toBe('kalshi')
})

test('a book that numbered changes prove is not called verified, in lists, books and files', async () => {
  const { snapshots } = await ask(`/v1/markets/${theirs.id}/snapshots?side=UP`)
  const flags = [['unverified', 'mirrored'], ['mirrored']]
  expect(snapshots.map((each: { flags: string[] }) => each.flags)).toEqual(flags)
  expect(snapshots[0].proof).toBe('sequence')
  expect((await ask(`/v1/markets/${theirs.id}/orderbook`)).up.flags).toEqual(['mirrored'])
  expect((await ask(`/v1/markets/${ours.id}/orderbook`)).up.flags).toEqual(['verified', 'mirrored'])
  expect(await ask(`/v1/markets/${theirs.id}/summary`)).toMatchObject({ verified_slots: 0, unverified_slots: 1 })
  expect(await ask(`/v1/markets/${ours.id}/summary`)).toMatchObject({ verified_slots: 1, unverified_slots: 0 })
})

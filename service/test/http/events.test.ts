import { list, madeMarket } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const HOUR_MS = 3_600_000

let service: TestService
let key: string
const nowMs = Date.now()

const game = { category: 'sports', subcategory: 'NBA', timeframe: 'game', planId: 'sports' } as const
const inEvent = (name: string, event: string, changed: Parameters<typeof madeMarket>[1] = {}) =>
  madeMarket(name, { ...game, eventSlug: event, eventTitle: `Title of ${event}`, ...changed })

const lakers = inEvent('lakers', 'nba-1', { endsAtMs: nowMs + 3 * HOUR_MS, startsAtMs: nowMs - HOUR_MS })
const total = inEvent('total', 'nba-1', { endsAtMs: nowMs + 4 * HOUR_MS, startsAtMs: nowMs - 2 * HOUR_MS })
const decided = inEvent('decided', 'nba-1', { endsAtMs: nowMs + 5 * HOUR_MS })
const later = inEvent('later', 'nba-2', { startsAtMs: nowMs + HOUR_MS, endsAtMs: nowMs + 6 * HOUR_MS })
const over = inEvent('over', 'nba-0', { endsAtMs: nowMs - HOUR_MS })
const foreign = inEvent('foreign', 'nba-1', { venue: 'kalshi', endsAtMs: nowMs + 7 * HOUR_MS })
const coin = madeMarket('coin', { eventSlug: 'coins', endsAtMs: nowMs + 8 * HOUR_MS })

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('enterprise')
  const resolution = { marketId: decided.id, winner: 1 as const, resolvedAtMs: nowMs - 1_000 }
  await list(
    service,
    [lakers, total, decided, later, over, foreign, coin],
    [resolution, { marketId: over.id, resolvedAtMs: nowMs - 1_000 }],
  )
  await vi.waitUntil(async () => (await ask('/v1/events')).body.total_events > 0, { timeout: 120_000 })
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (path: string, as = key) => service.ask(path, { key: as })
const eventsOf = async (query: string): Promise<string[]> =>
  (await ask(`/v1/events?${query}`)).body.events.map(({ event }: { event: string }) => event)

test('events have their title, the number of all their markets and their times, the one that ends first comes first', async () => {
  const { status, body, headers } = await ask('/v1/events?category=sports')
  expect(status).toBe(200)
  expect(headers['x-credits-cost']).toBe('0')
  expect(body).toMatchObject({ total_events: 2, next_cursor: null })
  expect(body.events).toEqual([
    {
      event: 'nba-1',
      title: 'Title of nba-1',
      venue: 'polymarket',
      category: 'sports',
      subcategory: 'NBA',
      timeframe: 'game',
      status: 'live',
      markets: 3,
      start_date: new Date(total.startsAtMs ?? 0).toISOString(),
      end_date: new Date(decided.endsAtMs).toISOString(),
    },
    expect.objectContaining({ event: 'nba-2', status: 'upcoming', markets: 1 }),
  ])
})

test('filters are those of markets', async () => {
  expect(await eventsOf('')).toEqual(['nba-1', 'nba-2', 'coins'])
  expect(await eventsOf('status=upcoming')).toEqual(['nba-2'])
  expect(await eventsOf('venue=kalshi')).toEqual(['nba-1'])
  expect(await eventsOf('venue=all&category=sports&subcategory=NBA&timeframe=game')).toEqual([
    'nba-1',
    'nba-2',
    'nba-1',
  ])
  expect(await eventsOf('crypto=BNB')).toEqual(['coins'])
  expect((await ask('/v1/events?status=settling')).headers['x-empty-reason']).toBe('no_match')
  expect((await ask('/v1/events?category=exchange')).body.events).toEqual([])
})

test('pages follow each other, and a cursor belongs to its filters', async () => {
  const first = (await ask('/v1/events?venue=all&limit=2')).body
  const second = (await ask(`/v1/events?venue=all&limit=2&cursor=${first.next_cursor}`)).body
  const names = [...first.events, ...second.events].map(({ venue, event }) => `${venue} ${event}`)
  expect(names).toEqual(['polymarket nba-1', 'polymarket nba-2', 'kalshi nba-1', 'polymarket coins'])
  expect([second.next_cursor, second.total_events]).toEqual([null, 4])
  const other = await ask(`/v1/events?limit=2&cursor=${first.next_cursor}`)
  expect([other.status, other.body.error]).toEqual([400, 'invalid_request'])
  expect((await ask('/v1/events?limit=501')).status).toBe(400)
  expect((await ask('/v1/events/nba-1?limit=501')).status).toBe(400)
})

test('an event lists all its markets by their end, with results, page by page', async () => {
  const { body } = await ask('/v1/events/nba-1')
  expect(body).toMatchObject({ event: 'nba-1', venue: 'polymarket', total_markets: 3, next_cursor: null })
  expect(body.markets.map(({ market_id }: { market_id: string }) => market_id)).toEqual([
    lakers.id,
    total.id,
    decided.id,
  ])
  expect(body.markets[0]).toEqual({
    market_id: lakers.id,
    slug: lakers.slug,
    question: lakers.question,
    label: lakers.label,
    status: 'live',
    outcome_names: ['Yes', 'No'],
    start_date: new Date(lakers.startsAtMs ?? 0).toISOString(),
    end_date: new Date(lakers.endsAtMs).toISOString(),
    resolved_outcome: null,
    resolved_at: null,
  })
  expect(body.markets[2]).toMatchObject({ status: 'expired', resolved_outcome: 'DOWN' })
  const first = (await ask('/v1/events/nba-1?limit=2')).body
  const second = (await ask(`/v1/events/nba-1?limit=2&cursor=${first.next_cursor}`)).body
  expect([...first.markets, ...second.markets]).toEqual(body.markets)
  expect(second.next_cursor).toBeNull()
  expect((await ask(`/v1/events/nba-2?cursor=${first.next_cursor}`)).body.error).toBe('invalid_request')
})

test('a cursor with a time that is no date is refused', async () => {
  const forged = (cursor: string, timeMs: number): string => {
    const [hash, , ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Buffer.from(JSON.stringify([hash, timeMs, ...rest])).toString('base64url')
  }
  for (const path of ['/v1/events?venue=all&limit=2', '/v1/events/nba-1?limit=2']) {
    const { next_cursor: cursor } = (await ask(path)).body
    for (const timeMs of [Number.MAX_SAFE_INTEGER, 8_640_000_000_000_000, -1]) {
      const { status, body } = await ask(`${path}&cursor=${forged(cursor, timeMs)}`)
      expect([path, timeMs, status, body.error]).toEqual([path, timeMs, 400, 'invalid_request'])
    }
  }
})

test('an ended event is found by its slug, and an event of another venue with the venue', async () => {
  expect((await ask('/v1/events/nba-0')).body.markets).toMatchObject([{ resolved_outcome: 'SPLIT' }])
  expect((await ask('/v1/events/nba-1?venue=kalshi')).body.markets).toMatchObject([{ market_id: foreign.id }])
  expect((await ask('/v1/events/nba-1?venue=all')).body.venue).toBe('polymarket')
})

test('an unknown event is 404, and events outside the tier are left out or refused', async () => {
  for (const path of ['/v1/events/no-such', '/v1/events/nba-2?venue=kalshi']) {
    const { status, body } = await ask(path)
    expect([status, body.error]).toEqual([404, 'event_not_found'])
  }
  const free = await service.keyOf('free')
  expect((await ask('/v1/events', free)).body.events.map(({ event }: { event: string }) => event)).toEqual(['coins'])
  const refused = await ask('/v1/events/nba-1', free)
  expect([refused.status, refused.body.error]).toEqual([403, 'tier_not_allowed'])
  expect((await ask('/v1/events?venue=kalshi', free)).headers['x-empty-reason']).toBe('tier')
})

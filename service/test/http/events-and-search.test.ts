import { list, madeMarket } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const HOUR_MS = 3_600_000

let service: TestService
let key: string
const nowMs = WORLD_NOW_MS

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

const ofBanks = (name: string, question: string) => {
  const series = { category: 'economics', subcategory: 'Fed', timeframe: 'event', planId: 'economics' } as const
  return madeMarket(name, { ...series, question, eventSlug: 'banks', endsAtMs: nowMs + 9 * HOUR_MS })
}
const fed = ofBanks('fed', 'Will the Federal Reserve cut rates in December?')
const ecb = ofBanks('ecb', 'Will the European Central Bank raise rates?')
const closed = ofBanks('closed', 'Will the Federal Reserve close?')

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('enterprise')
  const resolvedAtMs = nowMs - 1_000
  await list(
    service,
    [lakers, total, decided, later, over, foreign, coin, fed, ecb, closed],
    [
      { marketId: decided.id, winner: 1, resolvedAtMs },
      { marketId: over.id, resolvedAtMs },
      { marketId: closed.id, winner: 1, resolvedAtMs },
    ],
  )
  await vi.waitUntil(async () => (await idsOf('reserve')).length > 0, { timeout: 120_000 })
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (path: string, as = key) => service.ask(path, { key: as })
const search = (text: string, more = '', as = key) => ask(`/v1/markets/search?q=${encodeURIComponent(text)}${more}`, as)
const idsOf = async (text: string, more = ''): Promise<string[]> =>
  (await search(text, more)).body.map(({ market_id }: { market_id: string }) => market_id)
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
  expect(await eventsOf('')).toEqual(['nba-1', 'nba-2', 'coins', 'banks'])
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
  const first = (await ask('/v1/events?venue=all&limit=3')).body
  const second = (await ask(`/v1/events?venue=all&limit=3&cursor=${first.next_cursor}`)).body
  const names = [...first.events, ...second.events].map(({ venue, event }) => `${venue} ${event}`)
  const ours = ['polymarket nba-1', 'polymarket nba-2', 'kalshi nba-1', 'polymarket coins', 'polymarket banks']
  expect(names).toEqual(ours)
  expect([second.next_cursor, second.total_events]).toEqual([null, 5])
  expect((await ask(`/v1/events?limit=3&cursor=${first.next_cursor}`)).body.error).toBe('invalid_request')
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

test('words of the question find the market, and markets with a result are not found', async () => {
  const { body, headers } = await search('federal reserve')
  expect(body).toEqual([
    {
      market_id: fed.id,
      slug: fed.slug,
      question: fed.question,
      event_title: fed.eventTitle,
      category: 'economics',
      subcategory: 'Fed',
      timeframe: 'event',
      status: 'live',
      end_date: new Date(fed.endsAtMs).toISOString(),
      venue: 'polymarket',
      score: expect.any(Number),
    },
  ])
  expect(headers['x-total-count']).toBe('1')
})

test('markets with all words are found; only when there is none, those with some of them', async () => {
  expect(new Set(await idsOf('rates'))).toEqual(new Set([fed.id, ecb.id]))
  expect(await idsOf('european rates')).toEqual([ecb.id])
  expect(await idsOf('european xylophone')).toEqual([ecb.id])
})

test('filters and limit apply, and the count is of all matches', async () => {
  expect(await idsOf('rates', '&category=sports')).toEqual([])
  const { body, headers } = await search('rates', '&limit=1')
  expect(body).toHaveLength(1)
  expect(headers['x-total-count']).toBe('2')
})

test('a market that is listed later is found, and one that is resolved is not found any more', async () => {
  const late = ofBanks('late', 'Will the lighthouse of Alexandria return?')
  await list(service, [late], [])
  await vi.waitUntil(async () => (await idsOf('lighthouse')).includes(late.id), { timeout: 120_000 })
  await list(service, [], [{ marketId: late.id, winner: 0, resolvedAtMs: nowMs }])
  await vi.waitUntil(async () => (await idsOf('lighthouse')).length === 0, { timeout: 120_000 })
})

test('a search outside the tier is empty, and says that the tier is the reason', async () => {
  const { body, headers } = await search('federal', '', await service.keyOf('free'))
  expect(body).toEqual([])
  expect(headers['x-empty-reason']).toBe('tier')
})

import { frozenMarket, list } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'

let service: TestService
let key: string

const unrecorded = frozenMarket('without a book', { category: 'sports', subcategory: 'NBA', planId: 'sports' })
const resolved = frozenMarket('resolved', { category: 'sports', subcategory: 'NBA', planId: 'sports' })
const UNKNOWN = `0x${'0'.repeat(64)}`

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  key = await service.keyOf('enterprise')
  await list(service, [unrecorded, resolved], [{ marketId: resolved.id, winner: 1, resolvedAtMs: WORLD_NOW_MS }])
})

afterAll(() => service?.[Symbol.asyncDispose]())

const quotes = (query: string, as = key) => service.ask(`/v1/quotes${query}`, { key: as })

test('a quote has the best prices and sizes of the live book of the same slot', async () => {
  const { id } = service.world.live5m
  const { body: book } = await service.ask(`/v1/markets/${id}/orderbook`, { key })
  const [quote] = (await quotes('?crypto=BTC&limit=1')).body.quotes
  expect(quote.sequence_number).toBe(book.up.sequenceNumber)
  const best = (levels: { price: number; size: number }[]) => levels[0] ?? { price: null, size: null }
  for (const side of ['up', 'down'] as const) {
    const [bid, ask] = [best(book[side].bids), best(book[side].asks)]
    expect(quote[`${side}_bid`]).toBe(bid.price)
    expect(quote[`${side}_bid_size`]).toBe(bid.size)
    expect(quote[`${side}_ask`]).toBe(ask.price)
    expect(quote[`${side}_ask_size`]).toBe(ask.size)
  }
  expect(quote).toMatchObject({ market_id: id, slug: book.slug, venue: 'polymarket', stale: false })
})

test('every market that the filters find has a quote or a reason why it has none', async () => {
  const { body, headers } = await quotes('')
  const all = service.stores.catalogue.list({ venue: 'polymarket' }, WORLD_NOW_MS).map(({ id }) => id)
  const told = [...body.quotes, ...body.without_quote].map(({ market_id }: { market_id: string }) => market_id)
  expect(told.toSorted()).toEqual(all.toSorted())
  expect(all).toHaveLength(28)
  expect(body.total_markets).toBe(28)
  expect(body.without_quote).toContainEqual({ market_id: unrecorded.id, reason: 'no_recent_data' })
  expect(headers['x-credits-charged'] ?? '0').toBe('0')
})

test('the limit keeps the markets that end first, and the count says how many there are', async () => {
  const { body } = await quotes('?category=sports&limit=2')
  const sports = service.stores.catalogue.list({ venue: 'polymarket', category: 'sports' }, WORLD_NOW_MS)
  const told = [...body.quotes, ...body.without_quote].map(({ market_id }: { market_id: string }) => market_id)
  expect(new Set(told)).toEqual(new Set(sports.slice(0, 2).map(({ id }) => id)))
  expect(body.total_markets).toBe(5)
})

test('given ids are answered one by one: unknown, closed, without a book, outside the tier', async () => {
  const free = await service.keyOf('free')
  const { body } = await quotes(`?ids=${UNKNOWN},${resolved.id},${unrecorded.id}`)
  expect(body).toEqual({
    quotes: [],
    without_quote: [
      { market_id: UNKNOWN, reason: 'market_not_found' },
      { market_id: resolved.id, reason: 'market_closed' },
      { market_id: unrecorded.id, reason: 'no_recent_data' },
    ],
    total_markets: 3,
  })
  const refused = await quotes(`?ids=${unrecorded.id}`, free)
  expect(refused.body.without_quote).toEqual([{ market_id: unrecorded.id, reason: 'tier_not_allowed' }])
})

test('given ids after the limit are not read, and are told', async () => {
  const { body } = await quotes(`?ids=${unrecorded.id},${resolved.id},${UNKNOWN}&limit=1`)
  expect(body).toEqual({
    quotes: [],
    without_quote: [
      { market_id: resolved.id, reason: 'over_limit' },
      { market_id: UNKNOWN, reason: 'over_limit' },
      { market_id: unrecorded.id, reason: 'no_recent_data' },
    ],
    total_markets: 3,
  })
})

test('ids are used once, in any case; the other filters are not used', async () => {
  const { body } = await quotes(
    `?category=crypto&ids=${unrecorded.id},${unrecorded.id.toUpperCase().replace('0X', '0x')}`,
  )
  expect(body.total_markets).toBe(1)
})

test('a category outside the tier is refused', async () => {
  const { status, body } = await quotes('?category=sports', await service.keyOf('free'))
  expect([status, body.error]).toEqual([403, 'tier_not_allowed'])
})

import { frozenMarket, list } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CATEGORIES } from '../../src/domain/market.ts'

let service: TestService
let key: string

const resolved = frozenMarket('resolved', {
  category: 'sports',
  subcategory: 'NBA',
  timeframe: 'game',
  planId: 'sports',
})
const settling = [frozenMarket('settling a'), frozenMarket('settling b'), frozenMarket('settling c')].map(
  (market, index) => ({
    ...market,
    startsAtMs: WORLD_NOW_MS - 7_200_000,
    endsAtMs: WORLD_NOW_MS - 3_600_000 - index,
  }),
)

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  key = await service.keyOf('enterprise')
  await list(service, [resolved, ...settling], [{ marketId: resolved.id, winner: 1, resolvedAtMs: WORLD_NOW_MS }])
})

afterAll(() => service?.[Symbol.asyncDispose]())

const live = (query: string, as = key) => service.ask(`/v1/markets/live${query}`, { key: as })
const idsIn = (answer: { body: { conditionId: string }[] }) => answer.body.map(({ conditionId }) => conditionId)

describe('GET /v1/markets/live', () => {
  test('an unfiltered list is a bare array of all live and upcoming markets, with the count in a header', async () => {
    const answer = await live('')
    expect(answer.status).toBe(200)
    expect(answer.body).toHaveLength(27)
    expect(answer.headers['x-total-count']).toBe('27')
    expect(new Set(answer.body.map(({ category }: { category: string }) => category))).toEqual(new Set(CATEGORIES))
    for (const entry of answer.body) {
      expect(entry.expired).toBe(false)
      expect(['live', 'upcoming']).toContain(entry.status)
      expect(entry.expiresIn).toBeGreaterThan(0)
    }
    expect(answer.headers['x-tier-scope-filtered']).toBeUndefined()
  })

  test('an entry has every member of the interface with its type, and the additional members', async () => {
    const { body } = await live('?category=sports&limit=1')
    const [market] = service.stores.catalogue.list({ category: 'sports' }, WORLD_NOW_MS)
    expect(body[0]).toEqual({
      conditionId: market?.id,
      category: 'sports',
      subcategory: market?.subcategory,
      label: market?.label,
      tokenIds: market?.tokenIds,
      outcomes: ['Yes', 'No'],
      configId: 'sports',
      slug: market?.slug,
      expired: false,
      expiresIn: expect.any(Number),
      question: market?.question,
      eventTitle: market?.eventTitle,
      startDate: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      endDate: new Date(market?.endsAtMs ?? 0).toISOString(),
      timeframe: 'game',
      status: market?.status,
      outcomeNames: market?.outcomeNames,
      venue: 'polymarket',
    })
  })

  test('limit=1 of a series is its current window, and its time left is in milliseconds', async () => {
    const { body } = await live('?crypto=btc&timeframe=1h&limit=1')
    expect(body).toHaveLength(1)
    expect(body[0]).toMatchObject({ subcategory: 'BTC', timeframe: '1h', status: 'live', outcomes: ['UP', 'DOWN'] })
    expect(body[0].expiresIn).toBe(57.5 * 60_000)
  })

  test('pages have every market once, the soonest-ending first', async () => {
    const [whole, ...pages] = await Promise.all([
      live('?category=equities&limit=5000'),
      live('?category=equities&limit=2'),
      live('?category=equities&limit=5000&offset=2'),
    ])
    expect(pages.flatMap(idsIn)).toEqual(idsIn(whole))
    const ends = whole.body.map(({ endDate }: { endDate: string }) => endDate)
    expect(ends).toEqual(ends.toSorted())
    expect(pages[1]?.headers).toMatchObject({ 'x-offset': '2', 'x-limit': '5000', 'x-category': 'equities' })
  })

  test.each([
    'category=exchange',
    'subcategory=btc',
    'timeframe=game&crypto=BTC',
    'category=sports&crypto=BTC',
    'offset=10000',
  ])('%s is an empty list with a reason', async (query) => {
    const answer = await live(`?${query}`)
    expect(answer).toMatchObject({ status: 200, body: [] })
    expect(answer.headers['x-empty-reason']).toBe('no_match')
  })

  test('an unfiltered list says what the tier leaves out, and a filter outside the tier is refused', async () => {
    const free = await service.keyOf('free')
    const answer = await live('', free)
    expect(new Set(answer.body.map(({ category }: { category: string }) => category))).toEqual(new Set(['crypto']))
    expect(answer.headers['x-tier-scope-filtered']).toBe('sports,economics,weather,social,equities')
    expect((await live('?category=sports', free)).body).toMatchObject({ error: 'tier_not_allowed', status: 403 })
    const hidden = await live('?timeframe=game', free)
    expect(hidden).toMatchObject({ status: 200, body: [] })
    expect(hidden.headers['x-empty-reason']).toBe('tier')
    expect((await live('?subcategory=nothing', free)).headers['x-empty-reason']).toBe('no_match')
  })

  test('ended markets are listed only on request: time left 0, by id', async () => {
    const answer = await live('?status=settling&subcategory=BNB&timeframe=hit-price')
    expect(idsIn(answer)).toEqual(settling.map(({ id }) => id).toSorted())
    expect(answer.body[0]).toMatchObject({ expired: true, expiresIn: 0, status: 'settling' })
    const paged = await live('?status=settling&subcategory=BNB&timeframe=hit-price&limit=1&offset=1')
    expect(idsIn(paged)).toEqual(idsIn(answer).slice(1, 2))
  })

  test('resolved markets come from the database, within the tier', async () => {
    const answer = await live('?status=expired&category=sports')
    expect(answer.body).toContainEqual(
      expect.objectContaining({ conditionId: resolved.id, expired: true, expiresIn: 0 }),
    )
    const free = await live('?status=expired&timeframe=game', await service.keyOf('free'))
    expect(free.body).toEqual([])
    expect(free.headers['x-empty-reason']).toBe('tier')
    expect(free.headers['x-limit']).toBe('5000')
  })

  test('a flat file has the columns of the interface first', async () => {
    const answer = await live('?category=sports&format=csv&limit=3')
    const [header, ...rows] = answer.text.trim().split('\n')
    expect(
      header?.startsWith('conditionId,category,subcategory,label,tokenIds,outcomes,configId,slug,expired,expiresIn,'),
    ).toBe(true)
    expect(rows).toHaveLength(3)
    expect(answer.headers['x-total-count']).toBeDefined()
  })
})

test('before the catalogue is loaded the list is refused, not empty', async () => {
  const { LiveCatalogue } = await import('../../src/stores/markets/live-catalogue.ts')
  const { listLiveMarkets } = await import('../../src/endpoints/markets/list-live-markets.ts')
  const catalogue = new LiveCatalogue({ markets: service.stores.markets, plans: async () => [] })
  const asked = listLiveMarkets.handle({
    params: {},
    query: { venue: 'polymarket', results: false },
    body: undefined,
    caller: undefined,
    stores: { ...service.stores, catalogue },
    nowMs: WORLD_NOW_MS,
    signal: AbortSignal.timeout(5_000),
    require: () => {},
  })
  await expect(asked).rejects.toMatchObject({ code: 'store_unavailable' })
})

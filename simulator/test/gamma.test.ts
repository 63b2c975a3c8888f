import { expect, test } from 'vitest'
import { BY_HAND, hotMarket, moveWorld, openSimulator } from './open-simulator.ts'
import { TestClient } from './test-client.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by key in assertions, which fail on a wrong shape
async function get(url: string): Promise<{ status: number; json: any }> {
  const answer = await fetch(url)
  return { status: answer.status, json: await answer.json() }
}

test('a market is found by slug, with its lists encoded as text', async () => {
  const simulator = await openSimulator()
  const market = hotMarket(simulator)
  const { json } = await get(`${simulator.addresses.gamma}/markets/slug/${market.draft.slug}`)
  expect(json.$schema).toBe('https://gamma-api.polymarket.com/schemas/Market.json')
  expect(json.outcomes).toBe('["Up", "Down"]')
  expect(JSON.parse(json.clobTokenIds)).toEqual(market.tokenIds)
  expect(json.eventStartTime).toBe('2026-11-15T02:20:00Z')
  expect(json.endDate).toBe('2026-11-15T02:25:00Z')
  expect(json.orderPriceMinTickSize).toBe(0.01)
  expect((await get(`${simulator.addresses.gamma}/markets/slug/nothing`)).status).toBe(404)
})

test('keyset pages list every market exactly once', async () => {
  const simulator = await openSimulator()
  const ids: string[] = []
  let cursor = ''
  do {
    const after = cursor === '' ? '' : `&after_cursor=${encodeURIComponent(cursor)}`
    const { json } = await get(`${simulator.addresses.gamma}/markets/keyset?limit=7${after}`)
    ids.push(...json.markets.map(({ id }: { id: string }) => id))
    cursor = json.next_cursor ?? ''
  } while (cursor !== '')
  expect(ids.toSorted()).toEqual([...simulator.world.markets.values()].map(({ gammaId }) => gammaId).toSorted())
})

test('the parameter name `cursor` is ignored: the first page repeats for ever', async () => {
  const { addresses } = await openSimulator()
  const first = await get(`${addresses.gamma}/markets/keyset?limit=3`)
  const second = await get(
    `${addresses.gamma}/markets/keyset?limit=3&cursor=${encodeURIComponent(first.json.next_cursor)}`,
  )
  const idsOf = ({ json }: typeof first) => json.markets.map(({ id }: { id: string }) => id)
  expect(idsOf(second)).toEqual(idsOf(first))
})

test('offset on a keyset path, an offset past 2000, a tag that is no number and an unknown order are 422', async () => {
  const { addresses } = await openSimulator()
  for (const path of [
    '/events/keyset?offset=5',
    '/events?offset=2250',
    '/events?tag_id=nba',
    '/events?order=end_date',
  ]) {
    expect((await get(addresses.gamma + path)).status, path).toBe(422)
  }
})

test('closed=false still lists events that ended long ago; a bound on the end leaves them out', async () => {
  const simulator = await openSimulator()
  const now = new Date(simulator.world.nowMs).toISOString()
  const all = await get(`${simulator.addresses.gamma}/events?closed=false&limit=500`)
  const bounded = await get(`${simulator.addresses.gamma}/events?closed=false&limit=500&end_date_min=${now}`)
  const ended = ({ json }: typeof all) => json.filter(({ endDate }: { endDate: string }) => endDate < now)
  expect(ended(all).length).toBeGreaterThan(0)
  expect(ended(bounded)).toEqual([])
  expect(bounded.json.length).toBeGreaterThan(10)
})

test('a series lists its windows soonest end first, each with its start and series', async () => {
  const simulator = await openSimulator()
  const { json } = await get(
    `${simulator.addresses.gamma}/events/keyset?series_id=10684&closed=false&order=endDate&limit=10`,
  )
  const ends = json.events.map(({ endDate }: { endDate: string }) => endDate)
  expect(ends.length).toBeGreaterThan(2)
  expect(ends).toEqual(ends.toSorted())
  expect(json.events[0].series[0].slug).toBe('btc-up-or-down-5m')
  expect(json.events[0].startTime).toBe('2026-11-15T02:20:00Z')
})

test('a closed market stays active, names its winner by price, and is listed only among the closed', async () => {
  const simulator = await openSimulator({ startMs: Date.parse('2026-11-15T02:24:59Z'), speed: BY_HAND })
  const market = hotMarket(simulator)
  simulator.world.advance(market.resolveAtMs + 1_000)
  expect(market.phase).toBe('resolved')
  const { gamma } = simulator.addresses
  const { json } = await get(`${gamma}/markets/slug/${market.draft.slug}`)
  expect([json.active, json.closed]).toEqual([true, true])
  expect(json.closedTime).toMatch(/^2026-11-15 02:\d\d:\d\d\+00$/)
  expect(JSON.parse(json.outcomePrices)).toEqual(market.winner === 0 ? ['1', '0'] : ['0', '1'])
  const listed = async (closed: boolean) =>
    (await get(`${gamma}/markets?condition_ids=${market.conditionId}&closed=${closed}`)).json.length
  expect([await listed(false), await listed(true)]).toEqual([0, 1])
})

test('a market can be resolved early, once', async () => {
  const simulator = await openSimulator({ speed: BY_HAND })
  const market = hotMarket(simulator)
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(market.tokenIds)
  await client.frame('first books', ({ json }) => Array.isArray(json))
  const resolve = async (id: string) =>
    (await fetch(`${simulator.addresses.admin}/markets/${id}/resolve`, { method: 'POST' })).status
  const beforeMs = simulator.world.nowMs
  expect([await resolve(market.conditionId), await resolve(market.conditionId), await resolve('0x12')]).toEqual([
    202, 404, 404,
  ])
  await moveWorld(simulator, client, market.event.endMs + 200_000)
  const ends = client.frames.filter(({ json }) => json?.event_type === 'market_resolved')
  expect(ends.filter(({ json }) => json.market === market.conditionId)).toHaveLength(1)
  expect(Number(ends[0]?.json.timestamp) - beforeMs).toBeLessThan(1_000)
})

test('a new market is in the catalogue before the order book service knows it', async () => {
  const simulator = await openSimulator({ startMs: Date.parse('2026-11-15T02:24:59Z'), speed: BY_HAND })
  const known = new Set(simulator.world.markets.keys())
  const fresh = () => [...simulator.world.markets.values()].find(({ conditionId }) => !known.has(conditionId))
  simulator.world.advance(simulator.world.nowMs + 2_000)
  const market = fresh()
  const { gamma, clob } = simulator.addresses
  expect((await get(`${gamma}/markets/slug/${market?.draft.slug}`)).status).toBe(200)
  expect((await get(`${clob}/book?token_id=${market?.tokenIds[0]}`)).status).toBe(404)
  simulator.world.advance(simulator.world.nowMs + 60_000)
  expect((await get(`${clob}/book?token_id=${market?.tokenIds[0]}`)).status).toBe(200)
})

test('second-version markets carry their ids in positionIds', async () => {
  const simulator = await openSimulator({ size: { hot: 0, medium: 0, cold: 400 } })
  const market = [...simulator.world.markets.values()].find(({ version }) => version === 'v2')
  const { json } = await get(`${simulator.addresses.gamma}/markets/${market?.gammaId}`)
  expect([json.version, json.clobTokenIds]).toEqual(['v2', null])
  expect(json.positionIds).toEqual(market?.tokenIds)
  const book = await get(`${simulator.addresses.clob}/book?token_id=${market?.tokenIds[1]}`)
  expect(book.json.version).toBe('v2')
})

test('leagues, tags, series and search have responses', async () => {
  const { addresses } = await openSimulator({ size: { hot: 5, medium: 5, cold: 130 } })
  const { gamma } = addresses
  const sports = await get(`${gamma}/sports`)
  expect(sports.json.find(({ sport }: { sport: string }) => sport === 'nba')).toMatchObject({
    series: '10345',
    tags: '1,745,100639',
  })
  const games = await get(`${gamma}/events/keyset?series_id=10345&tag_id=100639&closed=false`)
  expect(games.json.events.length).toBeGreaterThan(0)
  expect((await get(`${gamma}/tags/slug/weather`)).json.id).toBe('84')
  expect((await get(`${gamma}/series?slug=btc-up-or-down-5m`)).json[0].id).toBe('10684')
  const found = await get(`${gamma}/public-search?q=${encodeURIComponent('fed decision')}`)
  expect(found.json.events[0].slug).toMatch(/^fed-decision-in-/)
})

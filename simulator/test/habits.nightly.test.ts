// Nightly: watches simulated sockets for seconds of real time.
import { createHash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { PacedQueue } from '../src/paced-queue.ts'
import { OfflineWorld, WORLD_START_MS } from '../src/polymarket/offline-world.ts'
import { stallTimes } from '../src/stall-times.ts'
import type { Behaviour } from '../src/world/behaviours.ts'
import { type Batch, World } from '../src/world/world.ts'
import { BY_HAND, hotMarket, moveWorld, openSimulator, otherHotMarket } from './open-simulator.ts'
import { deedsOf } from './switch-fault.ts'
import { type JsonFrame, TestClient } from './test-client.ts'

const isBooks = ({ json }: JsonFrame): boolean => Array.isArray(json)

test('unsubscribe and subscribe back to back bring no book; with a pause they do', async () => {
  const simulator = await openSimulator({ behaviours: ['needs-pause-before-resubscribe'] })
  const assets_ids = hotMarket(simulator).tokenIds
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(assets_ids)
  await client.frame('books', isBooks)
  const held = client.frames.length
  client.send({ assets_ids, operation: 'unsubscribe' })
  client.send({ assets_ids, operation: 'subscribe' })
  await client.roundTrip()
  await client.event('price_change', client.frames.length)
  expect(client.frames.slice(held).filter(isBooks)).toEqual([])
  expect(await deedsOf(simulator, 'needs-pause-before-resubscribe')).toHaveLength(2)
  client.send({ assets_ids, operation: 'unsubscribe' })
  await new Promise((resolve) => setTimeout(resolve, 250))
  client.send({ assets_ids, operation: 'subscribe' })
  const books = await client.frame('fresh books', isBooks, held)
  expect(books.json).toHaveLength(2)
})

test('changes of a removed token still come for a moment', async () => {
  const simulator = await openSimulator({ behaviours: ['deltas-after-unsubscribe'], speed: BY_HAND })
  const market = hotMarket(simulator)
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(market.tokenIds)
  await client.roundTrip()
  const held = client.frames.length
  client.send({ assets_ids: market.tokenIds, operation: 'unsubscribe' })
  await client.roundTrip()
  simulator.world.advance(simulator.world.nowMs + 1_000)
  await client.event('price_change', held)
  await new Promise((resolve) => setTimeout(resolve, 120))
  const after = client.frames.length
  simulator.world.advance(simulator.world.nowMs + 1_000)
  await client.roundTrip()
  expect(client.frames.slice(after).filter(({ json }) => json?.event_type === 'price_change')).toEqual([])
})

test('a socket is closed with 1000 when its last token has resolved, after the resolution', async () => {
  const simulator = await openSimulator({ behaviours: ['close-when-all-resolved'] })
  const [market, other] = [hotMarket(simulator), otherHotMarket(simulator)]
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe([...market.tokenIds, ...other.tokenIds])
  await client.frame('books', isBooks)
  simulator.world.settleNow(market)
  await client.event('market_resolved')
  await client.roundTrip()
  simulator.world.settleNow(other)
  expect(await client.closed).toEqual({ code: 1000, reason: 'all subscribed assets resolved' })
  expect(client.frames.at(-1)?.json).toMatchObject({ event_type: 'market_resolved', market: other.conditionId })
})

test('a socket with too much traffic lags, delays its PONG, and ends with 1013', async () => {
  const limits = { framesPerSecond: 100, bytesPerSecond: 1e9, maxQueuedFrames: 300, maxQueuedBytes: 1e9 }
  vi.useFakeTimers({ toFake: ['performance'] })
  const sent: string[] = []
  const queue = new PacedQueue<string>(limits, (text) => sent.push(text))
  for (let count = 0; count < 250; count++) expect(queue.put('change')).toBe(true)
  expect(queue.put('PONG')).toBe(true)
  expect(sent).toHaveLength(100)
  vi.advanceTimersByTime(1_000)
  queue.drain()
  expect(sent).toHaveLength(200)
  expect(sent).not.toContain('PONG')
  vi.advanceTimersByTime(1_000)
  queue.drain()
  expect(sent.at(-1)).toBe('PONG')
  while (queue.put('change')) expect(queue.length).toBeLessThanOrEqual(300)
  expect(queue.length).toBe(301)
  vi.useRealTimers()
})

test('a market socket with more traffic than its limits is closed with 1013', async () => {
  const deliveryLimits = { framesPerSecond: 5, bytesPerSecond: 1e9, maxQueuedFrames: 30, maxQueuedBytes: 1e9 }
  const simulator = await openSimulator({ behaviours: ['delivery-limits'], deliveryLimits })
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe([...hotMarket(simulator).tokenIds, ...otherHotMarket(simulator).tokenIds])
  expect(await client.closed).toEqual({ code: 1013, reason: 'slow consumer: send buffer full' })
  expect(await deedsOf(simulator, 'delivery-limits')).toHaveLength(1)
})

test('a socket that is late because of its limits is in the oracle with its markets, also while it stays open', async () => {
  const deliveryLimits = { framesPerSecond: 5, bytesPerSecond: 1e9, maxQueuedFrames: 1e9, maxQueuedBytes: 1e9 }
  const simulator = await openSimulator({ behaviours: ['delivery-limits'], deliveryLimits })
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(hotMarket(simulator).tokenIds)
  const late = {
    markets: [hotMarket(simulator).conditionId],
    detail: expect.stringMatching(/^frames wait since \d+ s$/),
  }
  await expect
    .poll(() => deedsOf(simulator, 'delivery-limits'), { timeout: 120_000 })
    .toContainEqual(expect.objectContaining(late))
})

test('a connection stalls for 1 to 6 s about once in 20 minutes, each at its own times', () => {
  const timesOf = (connection: string): { afterMs: number; durationMs: number }[] => {
    const times = stallTimes('test', connection)
    return Array.from({ length: 2_000 }, () => times.next().value)
  }
  const stalls = timesOf('polymarket-1')
  const meanS = stalls.reduce((sum, { afterMs }) => sum + afterMs, 0) / stalls.length / 1_000
  expect(meanS).toBeGreaterThan(1_100)
  expect(meanS).toBeLessThan(1_300)
  const durationsMs = stalls.map(({ durationMs }) => durationMs)
  expect(Math.min(...durationsMs)).toBeGreaterThanOrEqual(1_000)
  expect(Math.max(...durationsMs)).toBeLessThanOrEqual(6_000)
  expect(Math.max(...durationsMs) - Math.min(...durationsMs)).toBeGreaterThan(4_000)
  expect(timesOf('polymarket-1')).toEqual(stalls)
  expect(timesOf('polymarket-2')).not.toEqual(stalls)
})

test('one trade in ten is announced up to 120 ms after the batch whose hash contains it, the others within 39 ms', () => {
  const delaysOf = (behaviours: readonly Behaviour[]): number[] => {
    const hashedAtMs = new Map<object, number>()
    const delays: number[] = []
    const options = { seed: 'trades', startMs: WORLD_START_MS, size: { hot: 6, medium: 4, cold: 2 }, behaviours }
    const world = new World(options, (happening) => {
      if (happening.kind === 'batch' && happening.trade !== undefined) hashedAtMs.set(happening.trade, happening.atMs)
      if (happening.kind === 'trade') delays.push(happening.atMs - (hashedAtMs.get(happening.trade) ?? Number.NaN))
    })
    world.advance(world.nowMs + 20 * 60_000)
    return delays
  }
  const delays = delaysOf(['late-trades'])
  expect(delays.length).toBeGreaterThan(300)
  const share = delays.filter((ms) => ms > 39).length / delays.length
  expect(share).toBeGreaterThan(0.05)
  expect(share).toBeLessThan(0.15)
  expect(Math.max(...delays)).toBeGreaterThan(100)
  expect(Math.max(...delays)).toBeLessThanOrEqual(120)
  expect(Math.max(...delaysOf([]))).toBeLessThanOrEqual(39)
})

test('hashes are ahead, unexplained or with an unannounced price at about the measured rates, and always soon right again', () => {
  const batches: { habit: Batch['habit'] | undefined; market: Batch['market']; atMs: number }[] = []
  const behaviours = ['hash-ahead', 'unexplained-hashes', 'unannounced-trade-prices'] as const
  const options = { seed: 'rates', startMs: WORLD_START_MS, size: { hot: 2, medium: 12, cold: 2 }, behaviours }
  const world = new World(options, (happening) => {
    if (happening.kind !== 'batch') return
    batches.push({ habit: happening.habit, market: happening.market, atMs: happening.atMs })
  })
  world.advance(world.nowMs + 30 * 60_000)
  const share = (habit: string): number => batches.filter((each) => each.habit === habit).length / batches.length
  expect(share('hash-ahead')).toBeGreaterThan(0.000_5)
  expect(share('hash-ahead')).toBeLessThan(0.003)
  expect(share('unexplained-hashes')).toBeGreaterThan(0.000_05)
  expect(share('unexplained-hashes')).toBeLessThan(0.001)
  expect(share('unannounced-trade-prices')).toBeGreaterThan(0)
  for (const [index, { habit, market, atMs }] of batches.entries()) {
    if (habit !== 'hash-ahead') continue
    const next = batches.slice(index + 1, index + 100).find((each) => each.market === market)
    expect((next?.atMs ?? Number.NaN) - atMs).toBeLessThanOrEqual(2)
  }
})

test('a hash that is ahead is that of the book after the next change, with its own time', () => {
  let state: string | undefined
  let checked = 0
  const bodies = new Map<string, (stampMs: number) => string>()
  const size = { hot: 0, medium: 6, cold: 0 }
  const offline = new OfflineWorld({ behaviours: ['hash-ahead'], size }, ({ kind, habit, market, atMs, frames }) => {
    if (kind !== 'batch') return
    const text = offline.firstFrame(market)
    const book = JSON.parse(text)[0]
    bodies.set(market.conditionId, (stampMs) =>
      JSON.stringify({
        market: book.market,
        asset_id: book.asset_id,
        timestamp: String(stampMs),
        hash: '',
        bids: book.bids,
        asks: book.asks,
        min_order_size: '5',
        tick_size: book.tick_size,
        neg_risk: market.event.negRisk,
        last_trade_price: book.last_trade_price,
        ...(book.version && { version: book.version }),
      }),
    )
    if (state?.startsWith(market.conditionId)) {
      const [, stamp = '', hash] = state.split(' ')
      const body = bodies.get(market.conditionId)?.(Number(stamp)) ?? ''
      expect(createHash('sha1').update(body).digest('hex')).toBe(hash)
      checked++
      state = undefined
    }
    if (habit !== 'hash-ahead') return
    const entry = frames
      .map((frame) => JSON.parse(frame))
      .find((frame) => frame.event_type === 'price_change')
      .price_changes.find(({ asset_id }: { asset_id: string }) => asset_id === market.tokenIds[0])
    state = `${market.conditionId} ${atMs} ${entry.hash}`
  })
  offline.world.advance(offline.world.nowMs + 5 * 60_000)
  expect(checked).toBeGreaterThan(2)
})

test('the hash has the new tick before tick_size_change, which comes twice for both tokens', async () => {
  const startMs = Date.parse('2026-11-15T02:20:05Z')
  const behaviours = ['tick-in-hash-first', 'ticks-twice'] as const
  const simulator = await openSimulator({ startMs, speed: BY_HAND, behaviours })
  const market = hotMarket(simulator)
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(market.tokenIds)
  await moveWorld(simulator, client, market.resolveAtMs + 1_000)
  const ticks = client.frames.filter(({ json }) => json?.event_type === 'tick_size_change')
  expect(ticks.map(({ json }) => json.asset_id)).toEqual([...market.tokenIds, ...market.tokenIds])
  expect((await deedsOf(simulator, 'tick-in-hash-first')).length).toBeGreaterThan(0)
})

test('one resolution in five is never sent, and windows resolve as late as measured', () => {
  const resolved: { isLost: boolean; delayMs: number; length: string }[] = []
  const behaviours = ['lost-resolutions', 'resolution-delays'] as const
  const options = { seed: 'ends', startMs: WORLD_START_MS, size: { hot: 12, medium: 12, cold: 0 }, behaviours }
  const world = new World({ ...options, openWindows: 'cold' }, (happening) => {
    if (happening.kind !== 'resolved') return
    const { isLost, market, atMs } = happening
    resolved.push({ isLost, delayMs: atMs - market.event.endMs, length: market.draft.window?.length ?? '' })
  })
  world.advance(world.nowMs + 2 * 3_600_000)
  const share = resolved.filter(({ isLost }) => isLost).length / resolved.length
  expect(share).toBeGreaterThan(0.1)
  expect(share).toBeLessThan(0.3)
  const delaysOf = (length: string) => resolved.filter((each) => each.length === length).map(({ delayMs }) => delayMs)
  expect(Math.min(...delaysOf('5m'))).toBeGreaterThan(120_000)
  expect(Math.max(...delaysOf('5m'))).toBeLessThan(149_000)
  expect(Math.min(...delaysOf('1h'))).toBeGreaterThan(12 * 60_000)
})

test('the order book service knows the winner of a lost resolution, and the catalogue a minute or more later', async () => {
  const simulator = await openSimulator({ behaviours: ['lost-resolutions', 'late-gamma-close'], speed: BY_HAND })
  const { world, addresses } = simulator
  const client = await TestClient.open(addresses.marketSocket)
  const markets = [...world.markets.values()].slice(0, 20)
  client.subscribe(markets.flatMap(({ tokenIds }) => tokenIds))
  await client.roundTrip()
  for (const market of markets) world.settleNow(market)
  await moveWorld(simulator, client, world.nowMs + 1_000)
  const lost = new Set((await deedsOf(simulator, 'lost-resolutions')).map(({ market }) => market))
  const seen = client.frames.filter(({ json }) => json?.event_type === 'market_resolved')
  expect(lost.size).toBeGreaterThan(0)
  expect(lost.size + seen.length).toBe(20)
  const market = markets.find(({ conditionId }) => lost.has(conditionId)) ?? hotMarket(simulator)
  const long = await (await fetch(`${addresses.clob}/markets/${market.conditionId}`)).json()
  expect((long as { tokens: { winner: boolean }[] }).tokens.filter(({ winner }) => winner)).toHaveLength(1)
  const isClosed = async () => {
    const answer = await fetch(`${addresses.gamma}/markets/${market.gammaId}`)
    return ((await answer.json()) as { closed: boolean }).closed
  }
  world.advance(world.nowMs + 49_000)
  expect(await isClosed()).toBe(false)
  world.advance(world.nowMs + 131_000)
  expect(await isClosed()).toBe(true)
})

test('busy markets send some changes twice, never after a newer one', async () => {
  const simulator = await openSimulator({ behaviours: ['late-duplicates', 'mixed-stamps'], speed: BY_HAND })
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(hotMarket(simulator).tokenIds)
  await client.roundTrip()
  await moveWorld(simulator, client, simulator.world.nowMs + 60_000)
  const stampsOf = (type: string) =>
    client.frames.filter(({ json }) => json?.event_type === type).map(({ json }) => Number(json.timestamp))
  const changes = stampsOf('price_change')
  expect(changes).toEqual(changes.toSorted((one, other) => one - other))
  const texts = client.frames.filter(({ json }) => json?.event_type === 'price_change').map(({ text }) => text)
  const twins = texts.length - new Set(texts).size
  expect(twins).toBeGreaterThan(3)
  expect(twins).toBeLessThan(60)
  const all = client.frames.flatMap(({ json }) => (json?.timestamp === undefined ? [] : [Number(json.timestamp)]))
  expect(all).not.toEqual(all.toSorted((one, other) => one - other))
})

test('windows a day ahead are announced to every socket, about one a second', async () => {
  const simulator = await openSimulator({ behaviours: ['new-market-flood'], speed: BY_HAND })
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(hotMarket(simulator).tokenIds)
  await client.roundTrip()
  const fromMs = simulator.world.nowMs
  await moveWorld(simulator, client, fromMs + 60_000)
  const announced = client.frames.filter(({ json }) => json?.event_type === 'new_market')
  expect(announced.length).toBeGreaterThan(36)
  expect(announced.length).toBeLessThan(90)
  expect(new Set(announced.map(({ json }) => json.slug)).size).toBe(announced.length)
  const starts = announced.flatMap(({ json }) => /-updown-5m-(\d+)$/.exec(json.slug)?.[1] ?? [])
  for (const start of starts) expect(Number(start) * 1_000 - fromMs).toBeGreaterThan(86_000_000)
})

test('many crypto series say that they recur daily, and the list of series refuses 5m', async () => {
  const simulator = await openSimulator({ behaviours: ['wrong-recurrence'], size: { hot: 100, medium: 60, cold: 10 } })
  const { gamma } = simulator.addresses
  const recurrenceOf = async (slug: string): Promise<string | undefined> => {
    const found = (await (await fetch(`${gamma}/series?slug=${slug}`)).json()) as { id: string; recurrence: string }[]
    return found.map(({ id, recurrence }) => `${id} ${recurrence}`)[0]
  }
  expect(await recurrenceOf('btc-up-or-down-5m')).toBe('10684 5m')
  expect(await recurrenceOf('btc-up-or-down-4h')).toBe('10331 daily')
  expect(await recurrenceOf('doge-up-or-down-5m')).toBe('11325 daily')
  expect(await recurrenceOf('zec-up-or-down-5m')).toBe('12517 5m')
  expect(await recurrenceOf('zec-up-or-down-hourly')).toBeUndefined()
  expect(await recurrenceOf('dogecoin-up-or-down-daily')).toMatch(/daily$/)
  expect((await fetch(`${gamma}/series?recurrence=5m`)).status).toBe(422)
})

test('a soccer game has a sibling event that only its slug finds', async () => {
  const simulator = await openSimulator({ behaviours: ['more-markets'], size: { hot: 5, medium: 5, cold: 120 } })
  const { gamma } = simulator.addresses
  const sibling = simulator.world.events.find(({ slug }) => slug.endsWith('-more-markets'))
  if (sibling === undefined) throw new Error('no game has a sibling')
  const found = (await (await fetch(`${gamma}/events/slug/${sibling.slug}`)).json()) as { markets: object[] }
  expect(found.markets).toHaveLength(3)
  const texts = await Promise.all(
    ['events?limit=500', 'markets?limit=500', 'public-search?q=more&limit_per_type=100'].map(async (path) =>
      (await fetch(`${gamma}/${path}`)).text(),
    ),
  )
  for (const text of texts) expect(text).not.toContain(sibling.slug)
  const [game = ''] = sibling.slug.split('-more-markets')
  expect(texts[0]).toContain(`"${game}"`)
  expect((await fetch(`${gamma}/events/slug/btc-updown-5m-1794709200-more-markets`)).status).toBe(404)
})

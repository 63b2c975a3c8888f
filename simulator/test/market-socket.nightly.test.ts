// Nightly: reads simulated sockets in real time.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BY_HAND, hotMarket, moveWorld, openSimulator, otherHotMarket } from './open-simulator.ts'
import { TestClient } from './test-client.ts'

test('after a trade: the change, then a book for each subscribed token with the same hash, then the trade 34 to 39 ms later', async () => {
  const simulator = await openSimulator({ size: { hot: 40, medium: 20, cold: 0 }, speed: BY_HAND })
  const markets = [...simulator.world.markets.values()].filter(({ phase }) => phase === 'trading')
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(markets.flatMap(({ tokenIds }) => tokenIds))
  await client.roundTrip()
  await moveWorld(simulator, client, simulator.world.nowMs + 60_000)
  const trade = await client.event('last_trade_price')
  const { market, timestamp, asset_id: taker } = trade.json
  const books = client.frames
    .slice(0, client.frames.indexOf(trade))
    .filter(({ json }) => json?.event_type === 'book' && json.market === market)
  expect(books).toHaveLength(2)
  const [book] = books
  expect(Object.keys(book?.json)).toEqual(['market', 'asset_id', 'bids', 'asks', 'hash', 'timestamp', 'event_type'])
  const delayMs = Number(timestamp) - Number(book?.json.timestamp)
  expect(delayMs).toBeGreaterThanOrEqual(34)
  expect(delayMs).toBeLessThanOrEqual(39)
  const before = client.frames[client.frames.indexOf(book ?? trade) - 1]
  expect(before?.json.price_changes.map(({ hash }: { hash: string }) => hash)).toContain(book?.json.hash)
  expect(simulator.world.tokens.get(taker)?.market.conditionId).toBe(market)
})

test('best_bid_ask is sent before the changes of its batch, and only to subscribers of custom events', async () => {
  const simulator = await openSimulator()
  const market = hotMarket(simulator)
  const custom = await TestClient.open(simulator.addresses.marketSocket)
  custom.subscribe(market.tokenIds)
  const plain = await TestClient.open(simulator.addresses.marketSocket)
  plain.subscribe(market.tokenIds, { custom_feature_enabled: false })
  await plain.frame('first books', ({ json }) => Array.isArray(json))
  // All frames sent before the other client subscribed have arrived.
  await custom.roundTrip()
  const touch = await custom.event('best_bid_ask', custom.frames.length)
  const position = custom.frames.indexOf(touch)
  const change = await custom.event('price_change', position)
  expect(change.json.timestamp).toBe(touch.json.timestamp)
  const entry = change.json.price_changes.find(({ asset_id }: { asset_id: string }) => asset_id === touch.json.asset_id)
  expect([entry.best_bid, entry.best_ask]).toEqual([touch.json.best_bid, touch.json.best_ask])
  await plain.frame('the same change', ({ text }) => text === change.text)
  expect(plain.frames.filter(({ json }) => json?.event_type === 'best_bid_ask')).toEqual([])
})

test('at the end of a window: finer ticks, an emptied book, the resolution as the last frame, then 404', async () => {
  const startMs = Date.parse('2026-11-15T02:20:05Z')
  const simulator = await openSimulator({ startMs, speed: BY_HAND })
  const market = hotMarket(simulator)
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(market.tokenIds)
  await moveWorld(simulator, client, market.resolveAtMs + 1_000)
  const resolved = await client.event('market_resolved')
  const tick = await client.event('tick_size_change')
  expect([tick.json.old_tick_size, tick.json.new_tick_size]).toEqual(['0.01', '0.001'])
  expect(client.frames.filter(({ json }) => json?.event_type === 'tick_size_change')).toHaveLength(2)
  const ownFrames = client.frames.filter(({ json }) => json?.market === market.conditionId)
  expect(ownFrames.at(-1)).toBe(resolved)
  expect(resolved.json.winning_outcome).toBe(market.winner === 0 ? 'Up' : 'Down')
  const removals = ownFrames.filter(
    ({ json }) => json.timestamp === ownFrames.at(-2)?.json.timestamp && json.event_type === 'price_change',
  )
  expect(removals.length).toBeGreaterThan(10)
  for (const { json } of removals) {
    for (const entry of json.price_changes)
      expect([entry.size, entry.best_bid, entry.best_ask]).toEqual(['0', '0', '1'])
  }
  const emptyHash = createHash('sha1')
    .update(
      `{"market":"${market.conditionId}","asset_id":"${market.tokenIds[0]}","timestamp":"${removals[0]?.json.timestamp}","hash":"","bids":[],"asks":[],"min_order_size":"5","tick_size":"0.001","neg_risk":false,"last_trade_price":"${market.lastTradeText}"}`,
    )
    .digest('hex')
  const entry = removals[0]?.json.price_changes.find(
    ({ asset_id }: { asset_id: string }) => asset_id === market.tokenIds[0],
  )
  expect(entry.hash).toBe(emptyHash)
  expect((await fetch(`${simulator.addresses.clob}/book?token_id=${market.tokenIds[0]}`)).status).toBe(404)
  const created = await client.event('new_market')
  expect(created.json.active).toBe(false)
})

test('two simulators with the same seed and start send the same frames, byte for byte', async () => {
  const texts = await Promise.all(
    [1, 2].map(async () => {
      const simulator = await openSimulator({ seed: 'twins', speed: BY_HAND })
      const client = await TestClient.open(simulator.addresses.marketSocket)
      client.subscribe(hotMarket(simulator).tokenIds)
      await moveWorld(simulator, client, simulator.world.nowMs + 10_000)
      return client.frames.map(({ text }) => text)
    }),
  )
  const [one = [], other = []] = texts
  expect(one.length).toBeGreaterThan(60)
  expect(other).toEqual(one)
})

test('tokens can be subscribed and unsubscribed on an open connection; a repeated subscribe brings a text and no books', async () => {
  const simulator = await openSimulator()
  const market = hotMarket(simulator)
  const other = otherHotMarket(simulator)
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(market.tokenIds)
  await client.frame('first books', ({ json }) => Array.isArray(json))
  client.send({ assets_ids: other.tokenIds, operation: 'subscribe' })
  await client.frame('the added books', ({ json }) => Array.isArray(json) && json[0].market === other.conditionId)
  const held = client.frames.length
  client.send({ assets_ids: other.tokenIds, operation: 'subscribe' })
  await client.frame('a text for a repeat', ({ text }) => text === 'NO NEW ASSETS', held)
  await client.roundTrip()
  expect(client.frames.slice(held).filter(({ json }) => Array.isArray(json))).toEqual([])
  const heldBefore = client.frames.length
  client.send({ assets_ids: market.tokenIds, operation: 'unsubscribe' })
  client.send('PING')
  const pong = await client.frame('pong', ({ text }) => text === 'PONG', heldBefore)
  await client.frame('the other market', ({ json }) => json?.market === other.conditionId, client.frames.indexOf(pong))
  const after = client.frames.slice(client.frames.indexOf(pong))
  expect(after.filter(({ json }) => json?.market === market.conditionId)).toEqual([])
})

test('a frame that names more than 750 tokens brings no books; two smaller frames do', async () => {
  const simulator = await openSimulator({ size: { hot: 30, medium: 70, cold: 300 } })
  const tokens = [...simulator.world.tokens.keys()].slice(0, 751)
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(tokens)
  await client.event('price_change')
  expect(client.frames.some(({ json }) => Array.isArray(json))).toBe(false)
  const other = await TestClient.open(simulator.addresses.marketSocket)
  other.subscribe(tokens.slice(0, 400))
  await other.frame('books', ({ json }) => Array.isArray(json) && json.length > 300)
  const held = other.frames.length
  other.send({ assets_ids: tokens.slice(400), operation: 'subscribe' })
  await other.frame('more books', ({ json }) => Array.isArray(json) && json.length > 300, held)
})

test('without initial_dump there are no first books', async () => {
  const simulator = await openSimulator()
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(hotMarket(simulator).tokenIds, { initial_dump: false })
  await client.event('price_change')
  expect(client.frames.some(({ json }) => Array.isArray(json))).toBe(false)
})

test('mistakes of a client are answered with a text, and the connection goes on', async () => {
  const simulator = await openSimulator()
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.send('hello')
  await client.frame('text', ({ text }) => text === 'INVALID MESSAGE')
  client.send({ assets_ids: 'not a list' })
  await client.frame('another text', ({ text }) => text === 'INVALID MESSAGE', 1)
  client.subscribe(hotMarket(simulator).tokenIds)
  await client.frame('books', ({ json }) => Array.isArray(json))
  const held = client.frames.length
  client.subscribe(otherHotMarket(simulator).tokenIds)
  await client.frame('text', ({ text }) => text === 'INVALID OPERATION', held)
  expect(client.frames.slice(held).some(({ json }) => Array.isArray(json))).toBe(false)
})

test('the last subscribe decides on custom events; an unsubscribe does not', async () => {
  const simulator = await openSimulator({ speed: BY_HAND })
  const [market, other] = [hotMarket(simulator), otherHotMarket(simulator)]
  const client = await TestClient.open(simulator.addresses.marketSocket)
  const bestPricesOf = async (): Promise<number> => {
    const from = client.frames.length
    await moveWorld(simulator, client, simulator.world.nowMs + 5_000)
    return client.frames.slice(from).filter(({ json }) => json?.event_type === 'best_bid_ask').length
  }
  client.subscribe(market.tokenIds)
  await client.roundTrip()
  expect(await bestPricesOf()).toBeGreaterThan(0)
  client.send({ assets_ids: other.tokenIds, operation: 'subscribe' })
  await client.roundTrip()
  expect(await bestPricesOf()).toBe(0)
  client.send({ assets_ids: other.tokenIds, operation: 'unsubscribe' })
  client.send({ assets_ids: other.tokenIds, operation: 'subscribe', custom_feature_enabled: true })
  client.send({ assets_ids: other.tokenIds, operation: 'unsubscribe' })
  await client.roundTrip()
  expect(await bestPricesOf()).toBeGreaterThan(0)
})

test('tokens without a book are left out of the first array; alone they give an empty one', async () => {
  const startMs = Date.parse('2026-11-15T02:20:05Z')
  const simulator = await openSimulator({ startMs, speed: BY_HAND })
  const market = hotMarket(simulator)
  simulator.world.settleNow(market)
  simulator.world.advance(simulator.world.nowMs + 1_000)
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe(market.tokenIds)
  const empty = await client.frame('empty array', ({ json }) => Array.isArray(json))
  expect(empty.json).toEqual([])
  const other = otherHotMarket(simulator)
  const mixed = await TestClient.open(simulator.addresses.marketSocket)
  mixed.subscribe([...market.tokenIds, ...other.tokenIds])
  const books = await mixed.frame('books', ({ json }) => Array.isArray(json))
  expect(books.json.map(({ asset_id }: { asset_id: string }) => asset_id)).toEqual(other.tokenIds)
})

// Nightly: reads simulated sockets in real time.
import { expect, test } from 'vitest'
import { BY_HAND, openSimulator } from './open-simulator.ts'
import { type JsonFrame, TestClient } from './test-client.ts'

const book = (coin: string, more: object = {}) => ({
  method: 'subscribe',
  subscription: { type: 'l2Book', coin, ...more },
})

test('a subscription is acknowledged with its defaults, then whole books come, 20 levels a side, best first', async () => {
  const { addresses } = await openSimulator()
  const client = await TestClient.open(addresses.perpSocket)
  client.send(book('BTC'))
  const ack = await client.frame('acknowledgement', () => true)
  expect(ack.text).toBe(
    '{"channel":"subscriptionResponse","data":{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC","nSigFigs":null,"mantissa":null,"fast":false}}}',
  )
  const { json } = await client.frame('book', (frame) => frame.json.channel === 'l2Book')
  const [bids, asks] = json.data.levels
  expect(Object.keys(json.data)).toEqual(['coin', 'time', 'levels'])
  expect([bids.length, asks.length]).toEqual([20, 20])
  const prices = (levels: { px: string }[]) => levels.map(({ px }) => Number(px))
  expect(prices(bids)).toEqual(prices(bids).toSorted((one, other) => other - one))
  expect(prices(asks)).toEqual(prices(asks).toSorted((one, other) => one - other))
  expect(Number(bids[0].px)).toBeLessThan(Number(asks[0].px))
  for (const { px, sz } of [...bids, ...asks]) {
    expect(px).toMatch(/^\d+\.\d+$/)
    expect(sz).toMatch(/^\d+\.\d+$/)
    expect(Number(sz)).toBeGreaterThan(0)
  }
})

test('default books are sent every 5.4 s and fast ones of 5 levels every 0.54 s, all coins of a connection at one time', async () => {
  const { addresses, world } = await openSimulator({ speed: BY_HAND })
  const open = async (...subscriptions: object[]): Promise<TestClient> => {
    const client = await TestClient.open(addresses.perpSocket)
    for (const each of subscriptions) client.send(each)
    const isAnswer = ({ json }: JsonFrame) => json.channel === 'subscriptionResponse'
    await client.frame('answers', () => client.frames.filter(isAnswer).length === subscriptions.length)
    return client
  }
  const booksOf = (client: TestClient, coin: string) =>
    client.frames.filter(({ json }) => json.channel === 'l2Book' && json.data.coin === coin)
  /** A change of the best price is sent together with books that are due. */
  const move = async (client: TestClient, byMs: number): Promise<void> => {
    const beforeMs = world.nowMs
    world.advance(beforeMs + byMs)
    await client.frame('bbo', ({ json }) => json.channel === 'bbo' && json.data.time > beforeMs)
  }
  const bbo = { method: 'subscribe', subscription: { type: 'bbo', coin: 'BTC' } }

  const client = await open(book('BTC'), book('ETH'), bbo)
  await move(client, 1_000)
  expect(booksOf(client, 'BTC')).toHaveLength(1)
  expect(booksOf(client, 'ETH')[0]?.json.data.time).toBe(booksOf(client, 'BTC')[0]?.json.data.time)
  await move(client, 4_000)
  expect(booksOf(client, 'BTC')).toHaveLength(1)
  await move(client, 1_000)
  expect(booksOf(client, 'BTC')).toHaveLength(2)

  const fast = await open(book('SOL', { fast: true }), bbo)
  await move(fast, 600)
  expect(booksOf(fast, 'SOL')).toHaveLength(1)
  await move(fast, 540)
  expect(booksOf(fast, 'SOL')).toHaveLength(2)
  expect(booksOf(fast, 'SOL')[0]?.json.data.levels[0]).toHaveLength(5)
})

test('bbo is sent only when it changed; the first frame of trades holds 30 old ones', async () => {
  const simulator = await openSimulator()
  const client = await TestClient.open(simulator.addresses.perpSocket)
  client.send({ method: 'subscribe', subscription: { type: 'bbo', coin: 'BTC' } })
  client.send({ method: 'subscribe', subscription: { type: 'trades', coin: 'BTC' } })
  const first = await client.frame('bbo', ({ json }) => json.channel === 'bbo')
  const second = await client.frame(
    'another bbo',
    ({ json }) => json.channel === 'bbo',
    client.frames.indexOf(first) + 1,
  )
  expect(second.json.data.bbo).not.toEqual(first.json.data.bbo)
  const trades = await client.frame('trades', ({ json }) => json.channel === 'trades')
  expect(Object.keys(trades.json.data[0])).toEqual(['coin', 'side', 'px', 'sz', 'time', 'hash', 'tid', 'users'])
  const times = trades.json.data.map(({ time }: { time: number }) => time)
  expect(times).toHaveLength(30)
  expect(times).toEqual(times.toSorted((one: number, another: number) => one - another))
  expect(times[0]).toBeLessThan(simulator.world.nowMs - 3_000)
})

test('an unknown coin closes the connection without a message', async () => {
  const { addresses } = await openSimulator()
  const client = await TestClient.open(addresses.perpSocket)
  client.send(book('BTC'))
  await client.frame('book', ({ json }) => json.channel === 'l2Book')
  client.send(book('btc'))
  expect((await client.closed).code).toBe(1006)
})

test('repeated and invalid subscriptions get a response, pings too, and a delisted coin has an empty book', async () => {
  const { addresses } = await openSimulator()
  const client = await TestClient.open(addresses.perpSocket)
  client.send(book('MATIC'))
  client.send(book('MATIC'))
  const error = await client.frame('error', ({ json }) => json.channel === 'error')
  expect(error.json.data).toBe(
    'Already subscribed: {"type":"l2Book","coin":"MATIC","nSigFigs":null,"mantissa":null,"fast":false}',
  )
  client.send('{"method":"dance"}')
  await client.frame('parse error', ({ json }) =>
    String(json.data).startsWith('Error parsing JSON into valid websocket request'),
  )
  client.send({ method: 'subscribe', subscription: { type: 'noSuchType', coin: 'BTC' } })
  await client.frame('error of an unknown type', ({ json }) => String(json.data).includes('noSuchType'))
  client.send({ method: 'ping' })
  await client.frame('pong', ({ text }) => text === '{"channel":"pong"}')
  const empty = await client.frame('book', ({ json }) => json.channel === 'l2Book')
  expect(empty.json.data.levels).toEqual([[], []])
})

test('info returns books, the universe and mids; a WebSocket post returns the same', async () => {
  const { addresses } = await openSimulator()
  const info = async (body: object) => {
    const answer = await fetch(addresses.perpInfo, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    return answer.json()
  }
  expect(await info({ type: 'l2Book', coin: 'NOPE' })).toBeNull()
  expect(await info({ type: 'l2Book', coin: 'HYPE' })).toMatchObject({ coin: 'HYPE' })
  const meta = (await info({ type: 'meta' })) as { universe: { name: string; isDelisted?: boolean }[] }
  expect(meta.universe.filter(({ isDelisted }) => !isDelisted).map(({ name }) => name)).toEqual([
    'BTC',
    'ETH',
    'SOL',
    'XRP',
    'DOGE',
    'BNB',
    'HYPE',
    'ZEC',
  ])
  expect(Object.keys((await info({ type: 'allMids' })) as object)).toContain('BTC')
  const client = await TestClient.open(addresses.perpSocket)
  client.send({ method: 'post', id: 7, request: { type: 'info', payload: { type: 'l2Book', coin: 'ETH' } } })
  const { json } = await client.frame('post answer', (frame) => frame.json.channel === 'post')
  expect(json.data.id).toBe(7)
  expect(json.data.response.payload.data.levels[0]).toHaveLength(20)
})

test('the context of a coin comes every second and says no time; that of a coin without a book has nulls', async () => {
  const { addresses } = await openSimulator()
  const client = await TestClient.open(addresses.perpSocket)
  for (const coin of ['BTC', 'MATIC']) {
    client.send({ method: 'subscribe', subscription: { type: 'activeAssetCtx', coin } })
    client.send({ method: 'subscribe', subscription: { type: 'bbo', coin } })
  }
  const contextOf = async (coin: string) => {
    const isOwn = ({ json }: JsonFrame) => json.channel === 'activeAssetCtx' && json.data.coin === coin
    return (await client.frame(`context of ${coin}`, isOwn)).json.data
  }
  const { ctx, ...rest } = await contextOf('BTC')
  expect(rest).toEqual({ coin: 'BTC' })
  expect(
    Object.values(ctx)
      .flat()
      .every((value) => typeof value === 'string'),
  ).toBe(true)
  expect((await contextOf('MATIC')).ctx).toMatchObject({ premium: null, midPx: null, impactPxs: null })
  const isEmpty = ({ json }: JsonFrame) => json.channel === 'bbo' && json.data.coin === 'MATIC'
  expect((await client.frame('empty bbo', isEmpty)).json.data.bbo).toEqual([null, null])
})

test('every context and every trade that is sent is told by the admin routes, and some contexts repeat the one before', async () => {
  const { addresses, world } = await openSimulator()
  const client = await TestClient.open(addresses.perpSocket)
  for (const type of ['activeAssetCtx', 'trades'])
    client.send({ method: 'subscribe', subscription: { type, coin: 'SOL' } })
  const sent = (channel: string) => client.frames.filter(({ json }) => json.channel === channel)
  const startMs = world.nowMs
  await client.frame('ten contexts', () => sent('activeAssetCtx').length >= 10)
  const endMs = world.nowMs
  const truth = async (what: string, fromMs: number, toMs: number) => {
    const answer = await fetch(`${addresses.admin}/perps/${what}?coin=SOL&from=${fromMs}&to=${toMs}`)
    return (await answer.json()) as { time: number; tid: number; ctx: object }[]
  }
  const contexts = (await truth('contexts', startMs - 1_000, endMs + 1_000)).map(({ ctx }) => JSON.stringify(ctx))
  const received = sent('activeAssetCtx').map(({ json }) => JSON.stringify(json.data.ctx))
  const first = contexts.indexOf(received[0] ?? '')
  const at = contexts[first + 1] === received[0] && received[1] !== received[0] ? first + 1 : first
  expect(received).toEqual(contexts.slice(at, at + received.length))
  const [, ...live] = sent('trades').map(({ json }) => json.data)
  const trades = live.flat()
  expect(trades.length).toBeGreaterThan(0)
  const told = await truth('trades', startMs, trades.at(-1).time + 1)
  expect(trades).toEqual(told.slice(-trades.length))
  const minute = await truth('contexts', startMs, startMs + 60_000)
  expect(new Set(minute.map(({ ctx }) => JSON.stringify(ctx))).size).toBeLessThan(60)
  for (const query of ['coin=NOPE&from=1&to=2', 'coin=BTC&from=2&to=1', 'coin=BTC&from=0&to=4000001'])
    expect((await fetch(`${addresses.admin}/perps/trades?${query}`)).status).toBeGreaterThanOrEqual(400)
})

test('fast books say so at their end, others do not', async () => {
  const { addresses } = await openSimulator()
  const client = await TestClient.open(addresses.perpSocket)
  client.send(book('BTC', { fast: true }))
  const { text } = await client.frame('book', ({ json }) => json.channel === 'l2Book')
  expect(text.endsWith('"fast":true}}')).toBe(true)
})

test('a realistic venue refuses more than 30 new connections a minute', async () => {
  const simulator = await openSimulator({ behaviours: ['perp-connection-rate'] })
  for (let count = 0; count < 30; count++) {
    const client = await TestClient.open(simulator.addresses.perpSocket)
    client.send({ method: 'ping' })
    await client.frame('pong', () => true)
    client.close()
    await client.closed
  }
  const refused = await TestClient.open(simulator.addresses.perpSocket)
  expect(await refused.closed).toEqual({ code: 1008, reason: 'Cannot open more than 30 connections a minute.' })
})

test('an eleventh connection is refused', async () => {
  const { addresses } = await openSimulator()
  for (let count = 0; count < 10; count++) await TestClient.open(addresses.perpSocket)
  const eleventh = await TestClient.open(addresses.perpSocket)
  expect(await eleventh.closed).toEqual({ code: 1008, reason: 'Cannot open more than 10 connections.' })
})

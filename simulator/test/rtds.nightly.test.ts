// Nightly: reads simulated sockets in real time.
import { expect, test } from 'vitest'
import { windowWinner } from '../src/world/fair-price.ts'
import { COINS } from '../src/world/spot.ts'
import { BY_HAND, openSimulator } from './open-simulator.ts'
import { type JsonFrame, TestClient } from './test-client.ts'

const entry = (topic: string, filters?: string) => ({ topic, type: 'update', ...(filters && { filters }) })
const subscribe = (...subscriptions: object[]) => ({ action: 'subscribe', subscriptions })
const isUpdate = (topic: string, symbol: string) => (frame: JsonFrame) =>
  frame.json?.topic === topic && frame.json.type === 'update' && frame.json.payload.symbol === symbol

test('one frame with unfiltered entries brings eight pairs of each topic, and is acknowledged with an empty text', async () => {
  const { addresses } = await openSimulator()
  const client = await TestClient.open(addresses.priceSocket)
  client.send(subscribe(entry('crypto_prices_chainlink'), entry('crypto_prices_twap_sixty')))
  await client.frame('acknowledgement', ({ text }) => text === '')
  for (const { symbol } of COINS) {
    const pair = `${symbol.toLowerCase()}/usd`
    await client.frame(`spot of ${pair}`, isUpdate('crypto_prices_chainlink', pair))
    const { json } = await client.frame(`average of ${pair}`, isUpdate('crypto_prices_twap_sixty', pair))
    const { value, full_accuracy_value: exact, timestamp, window_s } = json.payload
    expect(exact).toMatch(/^\d+$/)
    expect(Number(exact) / 1e18).toBeCloseTo(value, 8)
    expect([Number(timestamp) % 1_000, window_s]).toEqual([0, 60])
    expect(json.timestamp - Number(timestamp)).toBeGreaterThanOrEqual(1_500)
  }
  expect(client.frames.some(({ text }) => text === 'PONG')).toBe(false)
})

test('a filtered entry adds the history under the topic of the exchange, and averages have none', async () => {
  const { addresses } = await openSimulator()
  const client = await TestClient.open(addresses.priceSocket)
  client.send(subscribe(entry('crypto_prices_twap_sixty', '{"symbol":"btc/usd"}')))
  client.send(subscribe(entry('crypto_prices_chainlink', '{"symbol":"hype/usd"}')))
  const { json } = await client.frame('history', (frame) => frame.json?.type === 'subscribe')
  expect(json).toMatchObject({ topic: 'crypto_prices', payload: { symbol: 'hype/usd' } })
  expect(json.payload.data).toHaveLength(60)
  await client.frame('an update', isUpdate('crypto_prices_chainlink', 'hype/usd'))
  expect(client.frames.filter((frame) => frame.json?.type === 'subscribe')).toHaveLength(1)
})

test('24 entries fall back to prices of the exchange, and an unknown topic silences the socket, both without an error', async () => {
  const { addresses } = await openSimulator()
  const [many, wrong] = [await TestClient.open(addresses.priceSocket), await TestClient.open(addresses.priceSocket)]
  const filtered = COINS.map(({ symbol }) => `{"symbol":"${symbol.toLowerCase()}/usd"}`)
  const topics = ['crypto_prices_chainlink', 'crypto_prices_twap_thirty', 'crypto_prices_twap_sixty']
  many.send(subscribe(...topics.flatMap((topic) => filtered.map((filters) => entry(topic, filters)))))
  wrong.send(subscribe(entry('crypto_prices_chainlink'), entry('crypto_prices_twap_ninety')))
  await many.frame('a later price of the exchange', isUpdate('crypto_prices', 'btcusdt'), 12)
  expect(many.frames.some(({ json }) => json?.topic === 'crypto_prices_twap_sixty')).toBe(false)
  expect(wrong.frames.map(({ text }) => text)).toEqual([''])
})

test('without a PING the prices stop after 228 s, on an open socket', async () => {
  const { addresses, world } = await openSimulator({ speed: BY_HAND })
  const [pinging, silent] = [await TestClient.open(addresses.priceSocket), await TestClient.open(addresses.priceSocket)]
  for (const client of [pinging, silent]) {
    client.send(subscribe(entry('crypto_prices_twap_sixty')))
    await client.frame('acknowledgement', ({ text }) => text === '')
  }
  world.advance(world.nowMs + 220_000)
  await silent.frame('an average', isUpdate('crypto_prices_twap_sixty', 'btc/usd'))
  pinging.send('PING')
  // The server has read the ping once it has read what was sent after it.
  pinging.send(subscribe(entry('crypto_prices_twap_sixty')))
  await pinging.frame('acknowledgement', ({ text }) => text === '', 1)
  const [heard, before] = [pinging.frames.length, silent.frames.length]
  world.advance(world.nowMs + 30_000)
  await pinging.frame('an average', isUpdate('crypto_prices_twap_sixty', 'btc/usd'), heard)
  expect(silent.frames.length).toBe(before)
})

test('a short window is won by the averages that the socket sends for its start and its end', async () => {
  const { addresses, world } = await openSimulator({ speed: BY_HAND })
  const market = [...world.markets.values()].find(({ draft }) => draft.slug === 'btc-updown-5m-1794709200')
  if (market?.event.startMs === undefined) throw new Error('no open window')
  world.advance(market.event.endMs - 5_000)
  const client = await TestClient.open(addresses.priceSocket)
  client.send(subscribe(entry('crypto_prices_twap_sixty')))
  await client.frame('acknowledgement', ({ text }) => text === '')
  world.advance(market.event.endMs + 1_600)
  const averageAt = async (atMs: number): Promise<bigint> => {
    const isAt = (frame: JsonFrame) =>
      isUpdate('crypto_prices_twap_sixty', 'btc/usd')(frame) && Number(frame.json.payload.timestamp) === atMs
    return BigInt((await client.frame('the average at the end', isAt)).json.payload.full_accuracy_value)
  }
  const end = await averageAt(market.event.endMs)
  const start = BigInt(
    world.spot
      .minuteAverageAt(COINS[0] ?? expect.unreachable(), market.event.startMs)
      .toFixed(18)
      .replace('.', ''),
  )
  expect(windowWinner(market, world.spot)).toBe(end >= start ? 0 : 1)
})

// Nightly: reads simulated sockets in real time.
import { expect, test } from 'vitest'
import { openSimulator } from './open-simulator.ts'
import { TestClient } from './test-client.ts'

test('a single stream gives bare tickers, without event time or type, and only changed ones', async () => {
  const { addresses } = await openSimulator()
  const client = await TestClient.open(`${addresses.spotSocket}/ws/btcusdt@bookTicker`)
  const first = await client.frame('ticker', () => true)
  expect(Object.keys(first.json)).toEqual(['u', 's', 'b', 'B', 'a', 'A'])
  expect(first.json.s).toBe('BTCUSDT')
  expect(first.json.b).toMatch(/^\d+\.\d{8}$/)
  expect(Number(first.json.a)).toBeGreaterThan(Number(first.json.b))
  const second = await client.frame('next ticker', () => true, 1)
  expect(second.json.u).toBeGreaterThan(first.json.u)
  expect([second.json.b, second.json.a]).not.toEqual([first.json.b, first.json.a])
})

test('the combined stream wraps each payload in its name; more can be subscribed on the open socket', async () => {
  const { addresses } = await openSimulator()
  const client = await TestClient.open(`${addresses.spotSocket}/stream?streams=ethusdt@bookTicker/solusdt@trade`)
  await client.frame('ticker', ({ json }) => json.stream === 'ethusdt@bookTicker' && json.data.s === 'ETHUSDT')
  await client.frame('trade', ({ json }) => json.stream === 'solusdt@trade' && json.data.e === 'trade')
  client.send({ method: 'SUBSCRIBE', params: ['zecusdt@bookTicker'], id: 3 })
  await client.frame('answer', ({ text }) => text === '{"result":null,"id":3}')
  await client.frame('added ticker', ({ json }) => json.stream === 'zecusdt@bookTicker')
})

test('HYPE is not listed: its stream is accepted and stays silent, and HYPERUSDT is another coin', async () => {
  const { addresses } = await openSimulator()
  const client = await TestClient.open(`${addresses.spotSocket}/stream`)
  client.send({ method: 'SUBSCRIBE', params: ['hypeusdt@bookTicker', 'hyperusdt@bookTicker'], id: 4 })
  await client.frame('answer', ({ text }) => text === '{"result":null,"id":4}')
  const other = await client.frame('ticker', ({ json }) => json.stream === 'hyperusdt@bookTicker')
  expect(Number(other.json.data.b)).toBeLessThan(1)
  await client.frame('another ticker', ({ json }) => json.stream !== undefined, client.frames.indexOf(other) + 1)
  expect(client.frames.some(({ json }) => json.stream === 'hypeusdt@bookTicker')).toBe(false)
})

test('exchangeInfo lists what is traded; one unknown symbol fails the whole call', async () => {
  const { addresses } = await openSimulator()
  const info = async (query: string) => {
    const answer = await fetch(`${addresses.spot}/api/v3/exchangeInfo${query}`)
    return { status: answer.status, body: (await answer.json()) as { symbols: { symbol: string; status: string }[] } }
  }
  const { body } = await info('')
  const symbols = body.symbols.map(({ symbol }) => symbol)
  expect(symbols).toContain('ZECUSDT')
  expect(symbols).toContain('HYPERUSDT')
  expect(symbols).not.toContain('HYPEUSDT')
  expect(body.symbols.every(({ status }) => status === 'TRADING')).toBe(true)
  expect((await info('?symbols=["BTCUSDT","ETHUSDT"]')).body.symbols).toHaveLength(2)
  const refusal = { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } }
  expect(await info('?symbols=["BTCUSDT","HYPEUSDT"]')).toEqual(refusal)
  expect(await info('?symbol=HYPEUSDT')).toEqual(refusal)
})

test('spot and perp prices of a coin stay close, and REST knows the same ticker', async () => {
  const { addresses } = await openSimulator()
  const answer = await fetch(`${addresses.spot}/api/v3/ticker/bookTicker?symbol=BTCUSDT`)
  const { bidPrice } = (await answer.json()) as { bidPrice: string }
  const body = JSON.stringify({ type: 'allMids' })
  const mids = await (
    await fetch(addresses.perpInfo, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  ).json()
  expect(Math.abs(Number((mids as { BTC: string }).BTC) / Number(bidPrice) - 1)).toBeLessThan(0.001)
  expect((await fetch(`${addresses.spot}/api/v3/ticker/bookTicker?symbol=NOPE`)).status).toBe(400)
})

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { hotMarket, openSimulator } from './open-simulator.ts'
import { TestClient } from './test-client.ts'

test('the hash of a book is the SHA-1 of its own text with the hash left empty', async () => {
  const simulator = await openSimulator({ size: { hot: 6, medium: 6, cold: 120 } })
  const markets = [...simulator.world.markets.values()]
  const chosen = [
    hotMarket(simulator),
    markets.find(({ event }) => event.negRisk),
    markets.find(({ tickSize }) => tickSize === 10),
  ]
  for (const market of chosen) {
    const text = await (await fetch(`${simulator.addresses.clob}/book?token_id=${market?.tokenIds[1]}`)).text()
    const { hash, neg_risk } = JSON.parse(text)
    expect(createHash('sha1').update(text.trimEnd().replace(hash, '')).digest('hex')).toBe(hash)
    expect(neg_risk).toBe(market?.event.negRisk)
  }
})

test('REST and the socket give the same hash for the same moment', async () => {
  const simulator = await openSimulator()
  const [token] = hotMarket(simulator).tokenIds
  const client = await TestClient.open(simulator.addresses.marketSocket)
  client.subscribe([token])
  await client.frame('first book', ({ json }) => Array.isArray(json))
  const book = (await (await fetch(`${simulator.addresses.clob}/book?token_id=${token}`)).json()) as Record<
    string,
    string
  >
  await client.frame(
    'a frame with the hash that REST gave',
    ({ text }) => text.includes(book.hash ?? '?') && text.includes(book.timestamp ?? '?'),
  )
})

test('unknown tokens are 404 alone and left out of a list; a missing one is 400', async () => {
  const simulator = await openSimulator()
  const { clob } = simulator.addresses
  const [up, down] = hotMarket(simulator).tokenIds
  const unknown = await fetch(`${clob}/book?token_id=123`)
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    { error: 'No orderbook exists for the requested token id' },
  ])
  expect((await fetch(`${clob}/book`)).status).toBe(400)
  const body = JSON.stringify([{ token_id: up }, { token_id: '123' }, { token_id: down }])
  const books = await fetch(`${clob}/books`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  expect(((await books.json()) as { asset_id: string }[]).map(({ asset_id }) => asset_id)).toEqual([up, down])
})

test('price, tick size and market endpoints agree with the book', async () => {
  const simulator = await openSimulator({ size: { hot: 0, medium: 0, cold: 5 } })
  const { clob } = simulator.addresses
  const [market] = simulator.world.markets.values()
  const read = async (path: string) => (await fetch(`${clob}/${path}token_id=${market?.tokenIds[0]}`)).json()
  const { bids, asks } = (await read('book?')) as { bids: { price: string }[]; asks: { price: string }[] }
  expect(await read('price?side=BUY&')).toEqual({ price: bids.at(-1)?.price })
  expect(await read('price?side=SELL&')).toEqual({ price: asks.at(-1)?.price })
  expect(await read('tick-size?')).toEqual({ minimum_tick_size: (market?.tickSize ?? 0) / 10_000 })
  const short = await (await fetch(`${clob}/clob-markets/${market?.conditionId}`)).json()
  expect(short).toMatchObject({ c: market?.conditionId, mos: 5, v: market?.version })
  expect((await fetch(`${clob}/clob-markets/0x12`)).status).toBe(404)
})

test('the default user agent of Python gets 403', async () => {
  const { addresses } = await openSimulator()
  const answer = await fetch(`${addresses.clob}/time`, { headers: { 'user-agent': 'Python-urllib/3.11' } })
  expect(answer.status).toBe(403)
})

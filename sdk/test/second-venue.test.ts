import { clearOfWindowEnd } from '@bookreel/testbed/clear-of-window-end'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { BookFrame } from '../src/generated/stream-types.ts'
import type { Bookreel } from '../src/index.ts'
import { StreamScene } from './stream-scene.ts'

const VENUE = 'kalshi'
let scene: StreamScene
let client: Bookreel

beforeAll(async () => {
  const few = { hot: 2, medium: 2, cold: 4 }
  scene = await StreamScene.open({ record: { size: few, kalshi: { hot: 4, medium: 6, cold: 20 } } })
  client = await scene.client()
}, 300_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

/** An open market of the second venue with rows of some seconds. */
async function recordedMarket() {
  return vi.waitUntil(
    async () => {
      for (const market of await client.markets.live({ venue: VENUE, crypto: 'BTC' })) {
        const days = await scene.service.stores.marketDays.days(market.conditionId)
        if (days.reduce((sum, { rowCount }) => sum + rowCount, 0) >= 12) return market
      }
      return undefined
    },
    { timeout: 120_000, interval: 250 },
  )
}

test('a recorder of both venues keeps their lists apart', async () => {
  const [usual, other, all] = await Promise.all([
    client.markets.live({}),
    client.markets.live({ venue: VENUE }),
    client.markets.live({ venue: 'all' }),
  ])
  expect(new Set(usual.map(({ venue }) => venue))).toEqual(new Set(['polymarket']))
  expect(new Set(other.map(({ venue }) => venue))).toEqual(new Set([VENUE]))
  expect(all.length).toBe(usual.length + other.length)
})

test('book, history, stream and replay of a market of the second venue work as those of the first', async () => {
  await clearOfWindowEnd(20_000, 900_000)
  const market = await recordedMarket()
  const { conditionId: id, slug, tokenIds } = market
  expect([tokenIds[0].endsWith(':yes'), tokenIds[1].endsWith(':no'), slug]).toEqual([true, true, slug.toLowerCase()])
  const book = await client.markets.orderbook(id)
  expect([book.market_id, book.venue, book.up.proof]).toEqual([id, VENUE, 'sequence'])

  const books: BookFrame[] = []
  const stream = client.stream({ selectors: [{ slug, venue: VENUE }] })
  for await (const event of stream) {
    if (event.type === 'snapshot' && event.channel === 'book') books.push(event)
    if (books.length >= 6) break
  }
  stream.close()
  const [first] = books
  if (first === undefined) throw new Error('no book')
  expect(books.map(({ seq }) => seq - first.seq)).toEqual(books.map((_, index) => index))
  expect([first.market, first.venue, first.proof]).toEqual([id, VENUE, 'sequence'])

  const to = first.captured_at
  const past: BookFrame[] = []
  for await (const event of client.replay({ selectors: [{ market: id }], from: to - 3_000, to, speed: 'max' }))
    if (event.type === 'snapshot' && event.channel === 'book') past.push(event)
  expect(past.length).toBeGreaterThan(4)
  expect(past.every(({ market: name, venue }) => name === id && venue === VENUE)).toBe(true)
  const trades = await client.history.trades({ marketId: id })
  expect(trades.venue).toBe(VENUE)
})

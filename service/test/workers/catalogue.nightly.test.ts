// Nightly: kills engines or processes and waits for their return.
import { marketOf, NOW_MS } from '@bookreel/testbed/service/market-facts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Market, Resolution } from '../../src/domain/market.ts'
import type { ListedMarket } from '../../src/stores/markets/postgres-market-rows.ts'
import { type CatalogueMessage, runCatalogue } from '../../src/workers/catalogue.ts'
import { type OpenMarkets, openMarkets } from '../markets/open-markets.ts'
import { PushedItems } from './pushed-items.ts'

let open: OpenMarkets
beforeAll(async () => {
  open = await openMarkets(5_000)
})
afterAll(() => open[Symbol.asyncDispose]())

let messages: PushedItems<CatalogueMessage>
let acknowledged: string[]
let refused: string[]
let saveCount: number
let counts: { stored: number; failed: number }
let stopping: AbortController
let running: Promise<void>
beforeEach(() => {
  messages = new PushedItems()
  acknowledged = []
  refused = []
  saveCount = 0
  counts = { stored: 0, failed: 0 }
  stopping = new AbortController()
  const meter = {
    stored: (count: number) => (counts.stored += count),
    refused: () => {},
    failed: () => counts.failed++,
  }
  const markets = {
    saveListings: (listings: readonly ListedMarket[]) => {
      saveCount++
      return open.markets.saveListings(listings)
    },
    saveResolutions: (resolutions: readonly Resolution[]) => open.markets.saveResolutions(resolutions),
  }
  running = runCatalogue({ messages, markets, meter, retryAfterMs: 20 }, stopping.signal)
})
afterEach(async () => {
  stopping.abort()
  await running
})

/** Notes at the moment of acknowledgement whether the market is stored. */
function messageOf(market: Market, resolutions: Resolution[] = []): CatalogueMessage {
  return {
    listings: [{ market, seenAtMs: NOW_MS }],
    resolutions,
    async acknowledge() {
      const stored = await open.markets.byId(market.id, NOW_MS)
      acknowledged.push(stored ? `${market.label} stored` : `${market.label} LOST`)
    },
    async refuse() {
      refused.push(market.label)
    },
  }
}

test('listings and resolutions are stored, then acknowledged', async () => {
  const market = marketOf('one')
  const resolution: Resolution = { marketId: market.id, winner: 0, resolvedAtMs: NOW_MS }
  messages.push(messageOf(market, [resolution]))
  await expect.poll(() => acknowledged).toEqual(['one stored'])
  expect(await open.markets.byId(market.id, NOW_MS)).toMatchObject({ status: 'expired', resolution })
})

test('nothing is acknowledged while PostgreSQL is killed, and everything after it is back', async () => {
  messages.push(messageOf(marketOf('before')))
  await expect.poll(() => acknowledged).toEqual(['before stored'])
  await open.stack.engine('postgres').kill()
  messages.push(messageOf(marketOf('during')), messageOf(marketOf('during too')))
  await expect.poll(() => counts.failed).toBeGreaterThan(2)
  expect(acknowledged).toEqual(['before stored'])
  await open.stack.engine('postgres').restart()
  await expect
    .poll(() => acknowledged.toSorted(), { timeout: 120_000 })
    .toEqual(['before stored', 'during stored', 'during too stored'])
})

test('a message that can never be stored is discarded alone, and the others are stored', async () => {
  const good = Array.from({ length: 20 }, (_, n) => messageOf(marketOf(`good ${n}`)))
  const zero = messageOf(marketOf('zero byte', { question: 'a \0 b' }))
  const nothing = { ...messageOf(marketOf('nothing')), listings: [{ market: undefined as never, seenAtMs: NOW_MS }] }
  messages.push(...good.slice(0, 7), zero, ...good.slice(7, 12), nothing, ...good.slice(12))
  await expect.poll(() => acknowledged.length).toBe(20)
  await expect.poll(() => refused.toSorted()).toEqual(['nothing', 'zero byte'])
  expect(acknowledged.every((line) => line.endsWith(' stored'))).toBe(true)
  expect(counts.stored).toBe(20)
})

test('messages that arrive together are stored together', async () => {
  const many = Array.from({ length: 400 }, (_, n) => messageOf(marketOf(`together ${n}`)))
  messages.push(...many)
  await expect.poll(() => acknowledged.length).toBe(400)
  expect(saveCount).toBeLessThan(10)
})

test('stopped while PostgreSQL is unavailable, it ends and leaves the message to be delivered again', async () => {
  await open.stack.engine('postgres').kill()
  messages.push(messageOf(marketOf('unlucky')))
  await expect.poll(() => counts.failed).toBeGreaterThan(0)
  stopping.abort()
  await running
  expect(acknowledged).toEqual([])
  await open.stack.engine('postgres').restart()
})

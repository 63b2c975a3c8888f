import { marketOf, NOW_MS } from '@bookreel/testbed/service/market-facts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Resolution } from '../../src/domain/market.ts'
import { type OpenMarkets, openMarkets } from '../markets/open-markets.ts'
import { RunningCatalogue } from './running-catalogue.ts'

let open: OpenMarkets
beforeAll(async () => {
  open = await openMarkets(5_000)
})
afterAll(() => open[Symbol.asyncDispose]())

let catalogue: RunningCatalogue
beforeEach(() => {
  catalogue = new RunningCatalogue(open)
})
afterEach(() => catalogue.stop())

test('listings and resolutions are stored, then acknowledged', async () => {
  const market = marketOf('one')
  const resolution: Resolution = { marketId: market.id, winner: 0, resolvedAtMs: NOW_MS }
  catalogue.messages.push(catalogue.messageOf(market, [resolution]))
  await expect.poll(() => catalogue.acknowledged).toEqual(['one stored'])
  expect(await open.markets.byId(market.id, NOW_MS)).toMatchObject({ status: 'expired', resolution })
})

test('nothing is acknowledged while the database gives no answer, and everything afterwards', async () => {
  catalogue.isAway = true
  catalogue.messages.push(catalogue.messageOf(marketOf('during')), catalogue.messageOf(marketOf('during too')))
  await expect.poll(() => catalogue.counts.failed).toBeGreaterThan(2)
  expect(catalogue.acknowledged).toEqual([])
  catalogue.isAway = false
  await expect.poll(() => catalogue.acknowledged.toSorted()).toEqual(['during stored', 'during too stored'])
})

test('a message that can never be stored is discarded alone, and the others are stored', async () => {
  const good = Array.from({ length: 20 }, (_, n) => catalogue.messageOf(marketOf(`good ${n}`)))
  const zero = catalogue.messageOf(marketOf('zero byte', { question: 'a \0 b' }))
  const nothing = {
    ...catalogue.messageOf(marketOf('nothing')),
    listings: [{ market: undefined as never, seenAtMs: NOW_MS }],
  }
  catalogue.messages.push(...good.slice(0, 7), zero, ...good.slice(7, 12), nothing, ...good.slice(12))
  await expect.poll(() => catalogue.acknowledged.length).toBe(20)
  await expect.poll(() => catalogue.refused.toSorted()).toEqual(['nothing', 'zero byte'])
  expect(catalogue.acknowledged.every((line) => line.endsWith(' stored'))).toBe(true)
  expect(catalogue.counts.stored).toBe(20)
})

test('messages that arrive together are stored together', async () => {
  const many = Array.from({ length: 400 }, (_, n) => catalogue.messageOf(marketOf(`together ${n}`)))
  catalogue.messages.push(...many)
  await expect.poll(() => catalogue.acknowledged.length).toBe(400)
  expect(catalogue.saveCount).toBeLessThan(10)
})

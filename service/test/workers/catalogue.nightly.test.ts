// Nightly: kills engines or processes and waits for their return.
import { marketOf } from '@bookreel/testbed/service/market-facts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
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

test('nothing is acknowledged while PostgreSQL is killed, and everything after it is back', async () => {
  catalogue.messages.push(catalogue.messageOf(marketOf('before')))
  await expect.poll(() => catalogue.acknowledged).toEqual(['before stored'])
  await open.stack.engine('postgres').kill()
  catalogue.messages.push(catalogue.messageOf(marketOf('during')), catalogue.messageOf(marketOf('during too')))
  await expect.poll(() => catalogue.counts.failed).toBeGreaterThan(2)
  expect(catalogue.acknowledged).toEqual(['before stored'])
  await open.stack.engine('postgres').restart()
  await expect
    .poll(() => catalogue.acknowledged.toSorted(), { timeout: 120_000 })
    .toEqual(['before stored', 'during stored', 'during too stored'])
})

test('stopped while PostgreSQL is unavailable, it ends and leaves the message to be delivered again', async () => {
  await open.stack.engine('postgres').kill()
  catalogue.messages.push(catalogue.messageOf(marketOf('unlucky')))
  await expect.poll(() => catalogue.counts.failed).toBeGreaterThan(0)
  await catalogue.stop()
  expect(catalogue.acknowledged).toEqual([])
  await open.stack.engine('postgres').restart()
})

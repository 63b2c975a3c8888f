import type { Stack } from '@bookreel/stack/start-stack'
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MarketIntervals } from '../../src/bus/market-intervals.ts'
import { keepIntervals } from '../../src/capture/keep-intervals.ts'
import { CATEGORY_PLANS } from '../../src/domain/plan.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import { type Bus, openBus } from '../bus/open-bus.ts'

let stack: Stack
let bus: Bus

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
  bus = await openBus(stack)
})
afterAll(async () => {
  await bus?.[Symbol.asyncDispose]()
  await stack?.stop()
})

const [PLAN = expect.fail('there is no plan')] = CATEGORY_PLANS

/** What a recorder finds at a venue with these markets, when its plan has this interval. */
async function recorderWith(captureIntervalMs: number, names: readonly string[]) {
  const markets = names.map((name) => madeMarket(name, { captureIntervalMs }))
  const venue = polymarket({ gammaUrl: '', clobUrl: '', socketUrl: '' })
  const listing = { markets, isPartial: false, skipped: [], differences: [] }
  const kept = keepIntervals({ ...venue, discover: async () => listing }, await MarketIntervals.open(bus.jetstream))
  return async (): Promise<number[]> => {
    const found = await kept.discover(PLAN, WORLD_NOW_MS, new AbortController().signal)
    return found.markets.map((market) => market.captureIntervalMs)
  }
}

test('a market keeps the interval it was first listed with when its plan changes; later markets have the new one', async () => {
  const before = await recorderWith(250, ['old'])
  expect(await before()).toEqual([250])
  const after = await recorderWith(500, ['old', 'new'])
  expect(await after()).toEqual([250, 500])
  expect(await before()).toEqual([250])
})

test('of two recorders with different plans, the first to list a market decides its interval', async () => {
  const both = [await recorderWith(250, ['both']), await recorderWith(400, ['both'])]
  const [one, other] = await Promise.all(both.map((list) => list()))
  expect(one).toEqual(other)
  expect([250, 400]).toContain(one?.[0])
})

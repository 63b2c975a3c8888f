import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MarketIntervals } from '../../src/bus/market-intervals.ts'
import { publishMarketUpdate } from '../../src/bus/market-updates.ts'
import { OpenMarkets } from '../../src/bus/open-markets.ts'
import { MARKETS_STREAM } from '../../src/bus/subjects.ts'
import type { Market } from '../../src/domain/market.ts'
import { type Bus, openBus } from './open-bus.ts'

const MINUTE_MS = 60_000
let stack: Stack
let bus: Bus

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
  bus = await openBus(stack, {})
})
afterAll(async () => {
  await bus?.[Symbol.asyncDispose]()
  await stack?.stop()
})

async function list(venue: string, id: string, endsAtMs: number): Promise<void> {
  const market = { id, venue, planId: 'crypto', endsAtMs } as Market
  await publishMarketUpdate(bus.jetstream, { kind: 'listed', venue, market })
}

/** When NATS stored the last update: its clock tells when a market was listed. */
async function lastUpdateMs(): Promise<number> {
  const newest = await bus.manager.streams.getMessage(MARKETS_STREAM, { last_by_subj: '>' })
  if (newest === null) throw new Error('the stream has no update')
  return newest.time.getTime()
}

/** What a recorder that starts now follows, with everything that was published before read. */
async function followedAtStart(venue: string, nowMs: number): Promise<string[]> {
  const stop = new AbortController()
  const open = new OpenMarkets({
    jetstream: bus.jetstream,
    venue,
    nowMs: () => nowMs,
    onAdded: () => {},
    onRemoved: () => {},
    onTrouble: (error) => {
      throw error
    },
  })
  const running = open.run(stop.signal)
  await expect.poll(() => open.isLoaded, { timeout: 20_000 }).toBe(true)
  stop.abort()
  await running
  return [...open.markets.keys()]
}

test('a recorder that starts follows an ended market that was listed lately, and none that has a result', async () => {
  await list('polymarket', '0xopen', Number.MAX_SAFE_INTEGER)
  await list('polymarket', '0xended', 0)
  await list('polymarket', '0xclosed', Number.MAX_SAFE_INTEGER)
  await publishMarketUpdate(bus.jetstream, { kind: 'closed', venue: 'polymarket', marketId: '0xclosed' })
  expect(await followedAtStart('polymarket', await lastUpdateMs())).toEqual(['0xopen', '0xended'])
})

test('a recorder that starts later does not follow an ended market that nobody lists any more', async () => {
  await list('kalshi', '0xended', 0)
  const listedMs = await lastUpdateMs()
  await list('kalshi', '0xjust-ended', listedMs + 8 * MINUTE_MS)
  expect(await followedAtStart('kalshi', listedMs + 10 * MINUTE_MS)).toEqual(['0xjust-ended'])
})

test('a market keeps the interval with which it was first listed, whoever lists it later', async () => {
  const [first, second] = [await MarketIntervals.open(bus.jetstream), await MarketIntervals.open(bus.jetstream)]
  const listed = async (intervals: MarketIntervals, captureIntervalMs: number, ...ids: readonly string[]) => {
    const markets = ids.map((id) => ({ id, captureIntervalMs }) as Market)
    return (await intervals.keep('crypto', markets)).map((market) => market.captureIntervalMs)
  }
  expect(await listed(first, 250, '0xa')).toEqual([250])
  expect(await listed(second, 700, '0xa', '0xb')).toEqual([250, 700])
  expect(await listed(first, 900, '0xb', '0xc')).toEqual([700, 900])
})

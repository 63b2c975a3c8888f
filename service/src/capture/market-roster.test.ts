import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type MarketUpdate, marketIdOf } from '../bus/market-updates.ts'
import type { Market } from '../domain/market.ts'
import type { CategoryPlan } from '../domain/plan.ts'
import type { BinaryVenue, EndedMarket, Ending, Listing } from '../venues/venue.ts'
import { captureMetrics } from './capture-metrics.ts'
import { MarketRoster } from './market-roster.ts'
import { ProblemLog } from './problem-log.ts'

const PLAN = { id: 'crypto', category: 'crypto', refreshIntervalMs: 1, captureIntervalMs: 250 } as CategoryPlan
const START_MS = 1_790_000_000_000
const MINUTE_MS = 60_000

const marketOf = (id: string, endsAtMs = START_MS + 3_600_000) =>
  ({ id, venue: 'polymarket', planId: 'crypto', tokenIds: [`${id}1`, `${id}2`], endsAtMs }) as unknown as Market

/** A roster with a venue whose answers the test sets, a clock that it moves, and a bus that it switches off. */
async function openRoster(given: { inherited?: string[] } = {}) {
  const venueSays = { markets: [] as Market[], isPartial: false, endings: [] as Ending[], isDown: false }
  const state = { nowMs: START_MS, listings: 0, isBusDown: false }
  const asked: EndedMarket[][] = []
  const followed = new Set<string>()
  const published: string[] = []
  const examples = new Map<string, readonly string[]>()
  const skipped = [{ reason: 'no_end', count: 7, examples: ['a-slug'] }]
  const venue = {
    id: 'polymarket',
    discover: async (): Promise<Listing> => {
      state.listings++
      if (venueSays.isDown) throw new Error('502')
      return { markets: venueSays.markets, isPartial: venueSays.isPartial, skipped, differences: [] }
    },
    fetchEndings: async (markets: readonly EndedMarket[]): Promise<Ending[]> => {
      asked.push([...markets])
      return venueSays.endings.filter(({ marketId }) => markets.some(({ id }) => id === marketId))
    },
  } as Partial<BinaryVenue> as BinaryVenue
  const log = pino({ level: 'silent' })
  const metrics = captureMetrics(new Registry())
  const roster = new MarketRoster({
    venue,
    plans: [PLAN],
    nowMs: () => state.nowMs,
    log,
    metrics,
    problems: new ProblemLog(log),
    noteExamples: (metric, key, list) => examples.set(`${metric} ${key}`, list),
    publish: async (update: MarketUpdate) => {
      if (state.isBusDown) throw new Error('no responders')
      const id = marketIdOf(update)
      published.push(`${update.kind} ${id}`)
      if (update.kind === 'listed') followed.add(id)
      else followed.delete(id)
    },
    inheritedIds: async () => given.inherited ?? [],
    listedBefore: async (id) => (id.startsWith('listed') ? marketOf(id) : undefined),
    openMarkets: () => [...followed].map((id) => marketOf(id)),
  })
  const stop = new AbortController()
  const running = roster.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  const soon = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 60_000, interval: 5 })
  const listings = async (count: number) => {
    const upTo = state.listings + count
    await soon(() => state.listings > upTo)
  }
  const askedSince = (count: number) => asked.slice(count).flatMap((markets) => markets.map(({ id }) => id))
  return { roster, venueSays, state, followed, published, asked, askedSince, soon, listings, metrics, examples }
}

test('no listing removes a market, partial or complete; only the venue’s own answer for it does', async () => {
  const { venueSays, followed, soon, listings, asked, state } = await openRoster()
  venueSays.markets = [marketOf('a'), marketOf('b')]
  await soon(() => followed.size === 2)
  venueSays.markets = [marketOf('a')]
  venueSays.isPartial = true
  await listings(10)
  expect(asked).toEqual([])
  venueSays.isDown = true
  await listings(10)
  venueSays.isDown = false
  expect([...followed]).toEqual(['a', 'b'])
  venueSays.isPartial = false
  await soon(() => asked.length > 0)
  await listings(10)
  expect(asked[0]).toEqual([{ id: 'b', tokenIds: ['b1', 'b2'] }])
  expect([...followed]).toEqual(['a', 'b'])
  venueSays.endings = [{ marketId: 'b' }]
  state.nowMs += MINUTE_MS
  const count = asked.length
  await soon(() => asked.length > count)
  expect([...followed]).toEqual(['a', 'b'])
  state.nowMs += 31 * MINUTE_MS
  await soon(() => !followed.has('b'))
  expect([...followed]).toEqual(['a'])
})

test('every market that ended is asked about, although no announcement came', async () => {
  const { venueSays, followed, published, soon, askedSince, state } = await openRoster()
  venueSays.markets = [marketOf('a', START_MS + MINUTE_MS), marketOf('b')]
  await soon(() => followed.size === 2)
  venueSays.endings = [{ marketId: 'a', resolution: { marketId: 'a', winner: 1, resolvedAtMs: START_MS } }]
  state.nowMs += 2 * MINUTE_MS
  await soon(() => published.includes('resolved a'))
  expect(askedSince(0)).not.toContain('b')
  // A market that has ended and is listed is told again, for recorders that start now.
  expect([...new Set(published)]).toEqual(['listed a', 'listed b', 'resolved a'])
  expect([...followed]).toEqual(['b'])
})

test('updates that are published while the bus is down are published later, in order', async () => {
  const { venueSays, state, published, soon, metrics } = await openRoster()
  state.isBusDown = true
  venueSays.markets = [marketOf('a', START_MS + MINUTE_MS)]
  venueSays.endings = [{ marketId: 'a', resolution: { marketId: 'a', winner: 1, resolvedAtMs: START_MS } }]
  const waiting = async () => (await metrics.updatesWaiting.get()).values[0]?.value
  await vi.waitUntil(async () => (await waiting()) === 1, { timeout: 60_000 })
  state.nowMs += 3 * MINUTE_MS
  await vi.waitUntil(async () => (await waiting()) === 2, { timeout: 60_000 })
  expect(published).toEqual([])
  state.isBusDown = false
  await soon(() => published.length === 2)
  expect(published).toEqual(['listed a', 'resolved a'])
})

test('a start asks for the results of markets that earlier recorders followed', async () => {
  const { venueSays, state, published, askedSince, asked, soon } = await openRoster({ inherited: ['a', 'b'] })
  venueSays.markets = [marketOf('b')]
  venueSays.endings = [{ marketId: 'a', resolution: { marketId: 'a', winner: 0, resolvedAtMs: START_MS } }]
  await soon(() => published.includes('listed b'))
  expect(asked).toEqual([])
  state.nowMs += 2 * MINUTE_MS
  await soon(() => published.includes('resolved a'))
  expect(askedSince(0)).toEqual(['a'])
})

test('a market whose result another recorder has published is neither listed again nor asked about', async () => {
  const { roster, venueSays, followed, published, askedSince, listings, soon } = await openRoster()
  venueSays.markets = [marketOf('a'), marketOf('b')]
  await soon(() => followed.size === 2)
  roster.ended('a')
  await listings(10)
  expect(published).toEqual(['listed a', 'listed b'])
  expect(askedSince(0)).toEqual([])
})

test('a market is listed again once a day, because the stream forgets old listings', async () => {
  const { venueSays, state, published, soon } = await openRoster()
  venueSays.markets = [marketOf('a', START_MS + 100 * 3_600_000)]
  await soon(() => published.length === 1)
  state.nowMs += 24 * 3_600_000
  await soon(() => published.length === 2)
  expect(published).toEqual(['listed a', 'listed a'])
})

test('a market that recorders follow and no listing has is closed after ten minutes', async () => {
  const { venueSays, state, followed, published, soon } = await openRoster()
  venueSays.markets = [marketOf('a')]
  followed.add('unknown')
  await soon(() => published.includes('listed a'))
  state.nowMs += 11 * MINUTE_MS
  await soon(() => published.includes('closed unknown'))
  expect([...followed]).toEqual(['a'])
})

test('skipped markets are counted by reason, with examples', async () => {
  const { metrics, examples, listings } = await openRoster()
  await listings(1)
  const { values } = await metrics.skipped.get()
  expect(values).toEqual([{ labels: { venue: 'polymarket', plan: 'crypto', reason: 'no_end' }, value: 7 }])
  expect(examples.get('capture_markets_skipped polymarket crypto no_end')).toEqual(['a-slug'])
})

test('a market that only an earlier recorder knew is asked about with its tokens', async () => {
  const { state, asked, soon } = await openRoster({ inherited: ['listed-before', 'forgotten'] })
  // Discovery has a minute to list it again.
  state.nowMs += 61_000
  await soon(() => asked.flat().length >= 2)
  expect(asked.flat().toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
    { id: 'forgotten' },
    { id: 'listed-before', tokenIds: ['listed-before1', 'listed-before2'] },
  ])
})

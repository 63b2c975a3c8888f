import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Market } from '../../src/domain/market.ts'
import { LiveCatalogue } from '../../src/stores/markets/live-catalogue.ts'
import { MarketList } from '../../src/stores/markets/market-list.ts'
import type { StoredMarket } from '../../src/stores/markets/postgres-market-rows.ts'

const MINUTE_MS = 60_000
const windowOf = (venue: string, slug: string, startsAtMs = WORLD_NOW_MS - MINUTE_MS): Market =>
  madeMarket(`${venue} ${slug}`, {
    venue,
    slug,
    subcategory: 'BTC',
    timeframe: '5m',
    startsAtMs,
    endsAtMs: startsAtMs + 5 * MINUTE_MS,
  })
/** It ends first, so that a lookup without a venue would find it. */
const theirs = windowOf('kalshi', 'kx-1', WORLD_NOW_MS - 2 * MINUTE_MS)
const ours = windowOf('polymarket', `btc-updown-5m-${Math.floor((WORLD_NOW_MS - MINUTE_MS) / 1_000)}`)

const stored = (market: Market): StoredMarket => ({ ...market, firstSeenAtMs: 0, lastSeenAtMs: 0, status: 'live' })

function catalogueOf(markets: readonly Market[]) {
  let listed = markets
  const catalogue = new LiveCatalogue({
    markets: { unresolved: async () => listed.map(stored), byIds: async () => [] },
    plans: async () => [],
  })
  const list = (changed: readonly Market[]): Promise<void> => {
    listed = changed
    return catalogue.refresh(WORLD_NOW_MS)
  }
  return { catalogue, list }
}

test('a list and a slug have markets of their venue only; without one, of every venue', async () => {
  const { catalogue } = catalogueOf([ours, theirs])
  await catalogue.refresh(WORLD_NOW_MS)
  const listed = (venue?: string): string[] => catalogue.list({ venue }, WORLD_NOW_MS).map(({ slug }) => slug)
  expect([listed('polymarket'), listed('kalshi'), listed('other')]).toEqual([[ours.slug], [theirs.slug], []])
  expect(listed()).toEqual([theirs.slug, ours.slug])
  const found = (slug: string, venue?: string): string | undefined => {
    const answer = catalogue.resolveSlug(slug, WORLD_NOW_MS, venue)
    return answer.matchedBy && answer.candidate.slug
  }
  expect(['polymarket', 'kalshi', undefined].map((venue) => found('kx-1', venue))).toEqual([undefined, 'kx-1', 'kx-1'])
  expect(found('btc-updown-5m', 'polymarket')).toBe(ours.slug)
  expect(found('btc-updown-5m', 'kalshi')).toBe(theirs.slug)
  expect(found('btc-updown-5m', 'other')).toBeUndefined()
})

test('a slug that is listed later is found, and one that is gone is not, in the index of each venue', async () => {
  const { catalogue, list } = catalogueOf([])
  const matched = (slug: string, venue?: string) => catalogue.resolveSlug(slug, WORLD_NOW_MS, venue).matchedBy
  const all = (slug: string) => ['polymarket', 'kalshi', undefined].map((venue) => matched(slug, venue))
  for (let round = 0; round < 2; round++) {
    await list([theirs])
    expect(all('kx-1')).toEqual([undefined, 'exact', 'exact'])
    expect(all(ours.slug)).toEqual([undefined, 'window_at_time', 'window_at_time'])
    await list([ours])
    expect(all('kx-1')).toEqual([undefined, undefined, undefined])
    expect(all(ours.slug)).toEqual(['exact', undefined, 'exact'])
    // Indexes that were not used since the last change.
    await list([])
    await list([ours, theirs])
    expect(all(ours.slug)).toEqual(['exact', 'window_at_time', 'exact'])
  }
})

test('a list that was changed market by market is the list of all of them: order, statuses, lookups and slugs', () => {
  const markets = Array.from({ length: 12 }, (_, n) => windowOf(n % 2 ? 'kalshi' : 'polymarket', `btc-${n}`))
  const change = fc.record({
    at: fc.nat(markets.length - 1),
    // Several markets end at one time.
    endsInMinutes: fc.constantFrom(-1_500, -3, 2, 2, 5),
    act: fc.constantFrom('put', 'put', 'put', 'resolve', 'remove'),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const [changed, whole, held] = [new MarketList(), new MarketList(), new Map<string, StoredMarket>()]
      changed.resolveSlug('btc-1', WORLD_NOW_MS)
      for (const { at, endsInMinutes, act } of changes) {
        const market = stored({ ...(markets[at] ?? ours), endsAtMs: WORLD_NOW_MS + endsInMinutes * MINUTE_MS })
        const resolution = { marketId: market.id, resolvedAtMs: WORLD_NOW_MS }
        const next = act === 'resolve' ? { ...market, resolution } : market
        held.delete(market.id)
        if (act !== 'remove') held.set(market.id, next)
        if (act === 'remove') changed.remove(market.id)
        else changed.put(next, WORLD_NOW_MS)
      }
      whole.replace([...held.values()], WORLD_NOW_MS)
      const statuses = ['live', 'upcoming', 'settling'] as const
      for (const venue of [undefined, 'kalshi']) {
        expect(changed.list({ statuses, venue }, WORLD_NOW_MS)).toEqual(whole.list({ statuses, venue }, WORLD_NOW_MS))
      }
      for (const { id, slug } of markets) {
        expect(changed.byId(id, WORLD_NOW_MS)).toEqual(whole.byId(id, WORLD_NOW_MS))
        expect(changed.resolveSlug(slug, WORLD_NOW_MS)).toEqual(whole.resolveSlug(slug, WORLD_NOW_MS))
      }
    }),
  )
})

test('a market that is not resolved leaves the list a day after its end', () => {
  const list = new MarketList()
  const statuses = ['settling'] as const
  list.put(stored(ours), WORLD_NOW_MS)
  const lastMs = ours.endsAtMs + 86_400_000 - 1
  list.removeEnded(lastMs)
  expect(list.list({ statuses }, lastMs).map(({ id }) => id)).toEqual([ours.id])
  list.removeEnded(lastMs + 1)
  expect([list.list({ statuses }, lastMs + 1), list.byId(ours.id, lastMs + 1)]).toEqual([[], undefined])
})

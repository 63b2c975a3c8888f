import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { expect, test } from 'vitest'
import type { Market } from '../../src/domain/market.ts'
import { LiveCatalogue } from '../../src/stores/markets/live-catalogue.ts'

const NOW_MS = Date.now()
const MINUTE_MS = 60_000
const windowOf = (venue: string, slug: string, startsAtMs = NOW_MS - MINUTE_MS): Market =>
  madeMarket(`${venue} ${slug}`, {
    venue,
    slug,
    subcategory: 'BTC',
    timeframe: '5m',
    startsAtMs,
    endsAtMs: startsAtMs + 5 * MINUTE_MS,
  })
/** It ends first, so that a lookup without a venue would find it. */
const theirs = windowOf('kalshi', 'kx-1', NOW_MS - 2 * MINUTE_MS)
const ours = windowOf('polymarket', `btc-updown-5m-${Math.floor((NOW_MS - MINUTE_MS) / 1_000)}`)

function catalogueOf(markets: readonly Market[]) {
  let listed = markets
  const stored = (market: Market) => ({ ...market, firstSeenAtMs: 0, lastSeenAtMs: 0, status: 'live' }) as const
  const catalogue = new LiveCatalogue({
    markets: { list: async () => listed.map(stored) },
    plans: async () => [],
  })
  const list = (changed: readonly Market[]): Promise<void> => {
    listed = changed
    return catalogue.refresh(NOW_MS)
  }
  return { catalogue, list }
}

test('a list and a slug have markets of their venue only; without one, of every venue', async () => {
  const { catalogue } = catalogueOf([ours, theirs])
  await catalogue.refresh(NOW_MS)
  const listed = (venue?: string): string[] => catalogue.list({ venue }, NOW_MS).map(({ slug }) => slug)
  expect([listed('polymarket'), listed('kalshi'), listed('other')]).toEqual([[ours.slug], [theirs.slug], []])
  expect(listed()).toEqual([theirs.slug, ours.slug])
  const found = (slug: string, venue?: string): string | undefined => {
    const answer = catalogue.resolveSlug(slug, NOW_MS, venue)
    return answer.matchedBy && answer.candidate.slug
  }
  expect(['polymarket', 'kalshi', undefined].map((venue) => found('kx-1', venue))).toEqual([undefined, 'kx-1', 'kx-1'])
  expect(found('btc-updown-5m', 'polymarket')).toBe(ours.slug)
  expect(found('btc-updown-5m', 'kalshi')).toBe(theirs.slug)
  expect(found('btc-updown-5m', 'other')).toBeUndefined()
})

test('a slug that is listed later is found, and one that is gone is not, in the index of each venue', async () => {
  const { catalogue, list } = catalogueOf([])
  const matched = (slug: string, venue?: string) => catalogue.resolveSlug(slug, NOW_MS, venue).matchedBy
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

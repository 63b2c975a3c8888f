import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { expect, test } from 'vitest'
import { CurrentMarkets } from '../../src/gateway/markets/current-markets.ts'
import { LiveCatalogue } from '../../src/stores/markets/live-catalogue.ts'

const NOW_MS = Date.parse('2026-11-20T12:00:00Z')

test('a resolved market is no current one while the catalogue still lists it, and is forgotten when it no longer does', async () => {
  const listings = ['stays', 'ends'].map((name) => ({
    ...madeMarket(name, {}, NOW_MS),
    firstSeenAtMs: NOW_MS,
    lastSeenAtMs: NOW_MS,
    status: 'live' as const,
  }))
  const [stays, ends] = listings.map(({ id }) => id)
  let listed = listings
  const catalogue = new LiveCatalogue({
    markets: { unresolved: async () => listed, byIds: async () => [] },
    plans: async () => [],
  })
  const current = new CurrentMarkets(catalogue, () => NOW_MS)
  const now = async (names: typeof listings): Promise<string[]> => {
    listed = names
    await catalogue.refresh(NOW_MS)
    current.refresh()
    return current.of({ category: 'crypto' }, 'crypto').map(({ id }) => id)
  }
  expect(new Set(await now(listings))).toEqual(new Set([stays, ends]))
  current.ended(ends ?? '')
  expect(await now(listings)).toEqual([stays])
  expect(await now(listings.slice(0, 1))).toEqual([stays])
  // Nobody lists a resolved market again; here it shows that nothing is kept of it.
  expect(await now(listings)).toHaveLength(2)
})

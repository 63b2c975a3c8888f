import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { expect, test } from 'vitest'
import { CurrentMarkets } from '../../src/gateway/markets/current-markets.ts'
import { LiveCatalogue } from '../../src/stores/markets/live-catalogue.ts'

test('a resolved market is no current one while the catalogue still lists it, and is forgotten when it no longer does', async () => {
  const listings = ['stays', 'ends'].map((name) => ({
    ...madeMarket(name),
    firstSeenAtMs: WORLD_NOW_MS,
    lastSeenAtMs: WORLD_NOW_MS,
    status: 'live' as const,
  }))
  const [stays, ends] = listings.map(({ id }) => id)
  let listed = listings
  const catalogue = new LiveCatalogue({
    markets: { unresolved: async () => listed, byIds: async () => [] },
    plans: async () => [],
  })
  const current = new CurrentMarkets(catalogue, () => WORLD_NOW_MS)
  const now = async (names: typeof listings): Promise<string[]> => {
    listed = names
    await catalogue.refresh(WORLD_NOW_MS)
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

import assert from 'node:assert/strict'
import { type Check, type Clause, clause, refused, served } from '../clause.ts'
import { entriesOf } from './filters.ts'

const LISTS = ['/v1/markets/live', '/v1/markets/history', '/v1/markets/history/recent']
const BY_SLUG = ['/v1/markets/by-slug/{theirs.slug}', '/v1/markets/by-slug/{theirs.slug}/orderbook']
const ABOUT_ONE = [
  '/v1/markets/by-slug/{theirs}',
  '/v1/markets/{theirs}/orderbook',
  '/v1/markets/{theirs}/depth',
  '/v1/markets/{theirs}/summary',
  '/v1/markets/{theirs}/snapshots',
  '/v1/markets/{theirs}/bars',
  '/v1/markets/{theirs}/gaps',
  '/v1/markets/{theirs}/execution?side=UP&action=buy&size=1',
  '/v1/trades?marketId={theirs}',
]
const VENUES = ['polymarket', 'kalshi'] as const

/** Every entry is of one of the venues, and each of them has one. It is not known of markets that only rows know. */
function isOf(...venues: readonly string[]): Check {
  return ({ body }) => {
    const found = new Set(entriesOf(body).flatMap(({ venue }) => venue || []))
    assert.deepEqual([...found].toSorted(), venues.toSorted())
  }
}

export const venueClauses: readonly Clause[] = [
  clause('added', 'A list has markets of Polymarket; `venue` names another venue, or `all`.', [
    ...LISTS.flatMap((list) => [
      served('pro', list, isOf('polymarket')),
      ...VENUES.map((venue) => served('pro', `${list}?venue=${venue}`, isOf(venue))),
      served('pro', `${list}?venue=all`, isOf(...VENUES)),
    ]),
    served('pro', '/v1/markets/live?venue=kalshi&offset=0', ({ body }) =>
      assert.deepEqual(body.at(-1).tokenIds, ['KX-CONTRACT:yes', 'KX-CONTRACT:no']),
    ),
  ]),
  clause('added', '`activeMarkets` counts markets of Polymarket, or of `venue`.', [
    served('pro', '/v1/categories?venue=kalshi', ({ body }) =>
      assert.deepEqual(
        body.map(({ activeMarkets }: { activeMarkets: number }) => activeMarkets).filter((count: number) => count > 0),
        [3],
      ),
    ),
  ]),
  clause('added', 'The newest snapshots are those of Polymarket, or of `venue`.', [
    served('pro', '/api/snapshot/latest', isOf('polymarket')),
    served('pro', '/api/snapshot/latest?venue=kalshi', isOf('kalshi')),
  ]),
  clause('added', 'A slug in a request as of a time is one of Polymarket, or of `venue`.', [
    served('pro', '/v1/asof?markets={theirs.slug}&timestamp={two_seconds_ago}', ({ body: { markets } }) =>
      assert.deepEqual([markets[0].status, markets[0].venue], ['unknown', null]),
    ),
    served(
      'pro',
      '/v1/asof?markets={theirs.slug}&timestamp={two_seconds_ago}&venue=kalshi',
      ({ body: { markets } }, scene) =>
        assert.deepEqual([markets[0].market_id, markets[0].venue], [scene.value('theirs'), 'kalshi']),
    ),
  ]),
  clause('added', 'A slug is one of Polymarket; `venue` names another venue, or `all`.', [
    ...BY_SLUG.flatMap((path) => [
      refused('pro', path, [404, 'slug_not_found'], ({ body }, scene) =>
        assert.equal(body.details.requested_slug, scene.value('theirs.slug')),
      ),
      ...['kalshi', 'all'].map((venue) =>
        served('pro', `${path}?venue=${venue}`, ({ body }, scene) =>
          assert.deepEqual([body.market_id, body.venue], [scene.value('theirs'), 'kalshi']),
        ),
      ),
    ]),
  ]),
  clause('added', 'With `form=declared` markets state their venue only if the request names another.', [
    served('pro', '/v1/markets/live?form=declared', ({ body }) =>
      assert.ok(entriesOf(body).every((entry) => !('venue' in entry))),
    ),
    served('pro', '/v1/markets/live?form=declared&venue=all', isOf(...VENUES)),
  ]),
  clause('added', 'An answer about a market states its venue; a condition id needs none.', [
    ...ABOUT_ONE.map((path) => served('pro', path, ({ body }) => assert.equal(body.venue, 'kalshi'))),
    served('pro', '/v1/markets/{frozen}/summary', ({ body }) => assert.equal(body.venue, 'polymarket')),
  ]),
]

import assert from 'node:assert/strict'
import { explains } from '../checks.ts'
import { type Clause, clause, refused, served } from '../clause.ts'

export const eventClauses: readonly Clause[] = [
  clause('added', 'Events group the markets of a venue; filters are those of markets, by cursor.', [
    served('pro', '/v1/events?limit=1', async ({ body }, scene) => {
      assert.ok(body.total_events > 1 && body.events[0].markets > 0)
      const { body: next } = await scene.ask('pro', `/v1/events?limit=1&cursor=${body.next_cursor}`)
      assert.notEqual(next.events[0].event, body.events[0].event)
    }),
    served(
      'scale',
      '/v1/events?category=crypto&subcategory=ETH&crypto=ETH&timeframe=all&venue=polymarket&status=live',
      ({ body }) => assert.ok(body.events.every(({ subcategory }: { subcategory: string }) => subcategory === 'ETH')),
    ),
  ]),
  clause('added', 'An event lists its markets, also ended ones; an unknown event is 404.', [
    served('pro', '/v1/events/{live.event}?venue=polymarket&limit=500', ({ body }, scene) => {
      assert.ok(body.markets.some((market: { market_id: string }) => market.market_id === scene.value('live')))
      assert.equal(body.total_markets, body.markets.length)
    }),
    served('pro', '/v1/markets/by-slug/{live.slug}', ({ body }, scene) =>
      assert.equal(body.event_slug, scene.value('live.event')),
    ),
    refused('pro', '/v1/events/no-such-event', [404, 'event_not_found'], explains(/event/)),
  ]),
]

import assert from 'node:assert/strict'
import type { ContractScene } from '../clause.ts'
import { type Clause, clause } from '../clause.ts'

const HOUR_MS = 3_600_000
/** A made window: it began two hours before the scene and ends two hours after, and its rows never change. */
const MADE_WINDOW = '/v1/markets/live?crypto=BTC&timeframe=4h&limit=1'

type Entry = Readonly<Record<string, unknown>>

/** The members that a live list entry, a single market and a book share, under the names of the list. */
function described(market: Entry): Entry {
  const { market_id, category, subcategory, label, question, timeframe, slug } = market
  return { conditionId: market_id, category, subcategory, label, question, timeframe, slug }
}

export const agreementClauses: readonly Clause[] = [
  clause('2.1', '`activeMarkets` is the number of entries in the live list.', [
    {
      as: 'pro',
      request: '/v1/categories',
      check: async ({ body }, scene) => {
        const { body: list } = await scene.ask('pro', '/v1/markets/live')
        const byCategory = Map.groupBy(list as Entry[], ({ category }) => category)
        assert.ok(byCategory.has('crypto'))
        for (const { category, activeMarkets } of body)
          assert.equal(activeMarkets, byCategory.get(category)?.length ?? 0, category)
      },
    },
  ]),
  clause('2.2', '`configId` is the id of an entry of the category list.', [
    {
      as: 'pro',
      request: '/v1/markets/live',
      check: async ({ body }, scene) => {
        const { body: plans } = await scene.ask('pro', '/v1/categories')
        const categoryOf = new Map(plans.map(({ id, category }: Entry) => [id, category]))
        assert.ok(body.length > 0)
        for (const { configId, category } of body) assert.equal(categoryOf.get(configId), category)
      },
    },
  ]),
  clause('2.3', 'List, market and book describe a market with the same values.', [
    ...(['live', 'other'] as const).map((name) => ({
      as: 'pro' as const,
      request: `/v1/markets/by-slug/{${name}.slug}`,
      check: async ({ body }: { body: Entry }, scene: ContractScene) => {
        const { body: list } = await scene.ask('pro', `/v1/markets/live?category=${String(body.category)}`)
        const { body: book } = await scene.ask('pro', `/v1/markets/{${name}}/orderbook?includebook=false`)
        const entry = (list as Entry[]).find(({ conditionId }) => conditionId === scene.value(name))
        assert.partialDeepStrictEqual(entry, {
          ...described(body),
          tokenIds: body.token_ids,
          endDate: body.end_date,
          eventTitle: body.event_title,
          outcomes: body.outcomes,
          outcomeNames: body.outcome_names,
          expired: body.expired,
        })
        assert.deepEqual(described(book), described(body))
        assert.deepEqual([book.up.tokenId, book.down.tokenId], [body.token_id_up, body.token_id_down])
      },
    })),
  ]),
  clause('2.4', 'By slug and by id the book of a market is the same.', [
    {
      as: 'pro',
      request: MADE_WINDOW,
      check: async ({ body: [market] }, scene) => {
        const atMs = Date.parse(market.startDate) + 2 * HOUR_MS + 1_000
        const [byId, bySlug] = await Promise.all([
          scene.ask('pro', `/v1/markets/${market.conditionId}/orderbook`, { atMs }),
          scene.ask('pro', `/v1/markets/by-slug/${market.slug}/orderbook`, { atMs }),
        ])
        const { matched_by, ...book } = bySlug.body
        assert.equal(matched_by, 'exact')
        assert.ok(book.up.bids.length > 0)
        assert.deepEqual(book, byId.body)
      },
    },
  ]),
  clause('3', 'At its end, to the millisecond, a market expires.', [
    {
      as: 'pro',
      request: MADE_WINDOW,
      check: async ({ body: [market] }, scene) => {
        const endMs = Date.parse(market.endDate)
        const path = `/v1/markets/by-slug/${market.conditionId}`
        const { body: before } = await scene.ask('pro', path, { atMs: endMs - 1 })
        assert.partialDeepStrictEqual(before, { active: true, expired: false, expires_in: 1, status: 'live' })
        const { body: after } = await scene.ask('pro', path, { atMs: endMs })
        assert.partialDeepStrictEqual(after, { active: false, expired: true, expires_in: 0, status: 'settling' })
        const listed = async (query: string): Promise<boolean> => {
          const { body } = await scene.ask('pro', `/v1/markets/live?crypto=BTC&timeframe=4h${query}`, { atMs: endMs })
          return body.some(({ conditionId }: Entry) => conditionId === market.conditionId)
        }
        assert.deepEqual([await listed(''), await listed('&status=settling')], [false, true])
      },
    },
  ]),
]

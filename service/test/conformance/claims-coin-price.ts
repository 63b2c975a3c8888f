import assert from 'node:assert/strict'
import { madeMarket, madeRow, putInRedis } from '@bookreel/testbed/service/stored-markets'
import { until } from '@bookreel/testbed/until'
import { recordsOf } from './checks.ts'
import { type Claim, claim } from './claim.ts'
import type { ClaimScene } from './claim-scene.ts'

const BY_SLUG = '/v1/markets/by-slug/{unpriced.slug}'
const BOOKS = ['/v1/markets/{unpriced}/orderbook', `${BY_SLUG}/orderbook`]

/** Stores a new row of the market, because a row older than a minute is not served. */
async function sample({ service }: ClaimScene, row: { atMs: number; spotUsd?: number }): Promise<void> {
  await putInRedis(service, [madeRow(madeMarket('conformance unpriced'), row)])
}

export const coinPriceClaims: readonly Claim[] = [
  claim('2.4', 'coin-price.unknown', 'A price of a coin that is not known is left out, never 0.', [
    {
      request: BY_SLUG,
      as: 'free',
      check: async ({ body }, scene) => {
        assert.partialDeepStrictEqual(body, { crypto: 'BNB', active: true })
        assert.ok(!('crypto_price' in body))
        await sample(scene, { atMs: Date.now() - 1_000 })
        for (const request of [BY_SLUG, ...BOOKS]) {
          const { body } = await scene.ask('free', request)
          assert.partialDeepStrictEqual(body, { market_id: scene.value('unpriced'), crypto: 'BNB' })
          assert.ok(!('crypto_price' in body) && !('cryptoPrice' in body), request)
        }
        const { text } = await scene.ask('scale', `${BY_SLUG}?format=csv`)
        assert.deepEqual(
          recordsOf(text, ',').map(({ crypto_price }) => crypto_price),
          ['\\N'],
        )
        await sample(scene, { atMs: Date.now(), spotUsd: 77.5 })
        for (const request of [BY_SLUG, ...BOOKS]) {
          // The last row is served for some milliseconds more.
          const isServed = async () => (await scene.ask('free', request)).body.crypto_price === 77.5
          await until(`${request} has the price`, isServed)
        }
      },
    },
    {
      request: '/v1/markets/by-slug/{forgotten}',
      as: 'free',
      check: ({ body }) => assert.partialDeepStrictEqual(body, { crypto: 'BNB', crypto_price: 639.25 }),
    },
  ]),
]

import assert from 'node:assert/strict'
import { isLike, recordsOf } from '../checks.ts'
import { type Check, type Clause, clause, served } from '../clause.ts'

const isUnpriced: Check = ({ body }) => {
  assert.partialDeepStrictEqual(body, { crypto: 'BNB' })
  assert.ok(!('crypto_price' in body) && !('cryptoPrice' in body))
}

export const coinPriceClauses: readonly Clause[] = [
  clause('2.4', 'A price of a coin that is not known is left out, never 0.', [
    ...[
      'by-slug/{silent.slug}',
      'by-slug/{unpriced.slug}',
      'by-slug/{unpriced.slug}/orderbook',
      '{unpriced}/orderbook',
    ].map((path) => served('free', `/v1/markets/${path}`, isUnpriced)),
    served('scale', '/v1/markets/by-slug/{unpriced.slug}?format=csv', ({ text }) =>
      assert.deepEqual(
        recordsOf(text, ',').map(({ crypto_price }) => crypto_price),
        ['\\N'],
      ),
    ),
  ]),
  clause('2.4', 'A known price of a coin is that of the newest row, also in the book.', [
    ...['', '/orderbook'].map((rest) =>
      served('free', `/v1/markets/by-slug/contract-open-bnb-15m${rest}`, isLike({ crypto_price: 100.5 })),
    ),
    served('free', '/v1/markets/by-slug/{forgotten}', isLike({ crypto: 'BNB', crypto_price: 639.25 })),
  ]),
]

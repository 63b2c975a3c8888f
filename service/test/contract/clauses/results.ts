import assert from 'node:assert/strict'
import { namesProblem } from '../checks.ts'
import { type Clause, clause, refused, served } from '../clause.ts'

const INVALID = [400, 'invalid_request'] as const
const HISTORY = ['/v1/markets/history', '/v1/markets/history/recent']

export const resultClauses: readonly Clause[] = [
  clause(
    'added',
    '`results=true` adds the outcome of resolved markets to the entries of a list; other requests do not have it.',
    [
      served('pro', '/v1/markets/live?status=expired&limit=500&results=true', ({ body }, scene) => {
        const closed = body.find(({ conditionId: id }: { conditionId: string }) => id === scene.value('closed'))
        assert.equal(closed?.resolvedOutcome, 'UP')
        assert.match(closed.resolvedAt, /Z$/)
      }),
      served('pro', '/v1/markets/live?status=expired&limit=5', ({ text }) =>
        assert.doesNotMatch(text, /"(resolvedOutcome|priceToBeat)"/),
      ),
      ...HISTORY.flatMap((list) => [
        served('pro', `${list}?limit=500&results=true`, ({ body }, scene) => {
          const closed = body.markets.find(({ market_id: id }: { market_id: string }) => id === scene.value('closed'))
          assert.equal(closed?.resolved_outcome, 'UP')
        }),
        served('pro', `${list}?limit=500`, ({ text }) =>
          assert.doesNotMatch(text, /"(resolved_outcome|price_to_beat)"/),
        ),
      ]),
    ],
  ),
  clause('added', '`results=true` adds the price to beat and the settlement price of a window.', [
    served('pro', '/v1/markets/live?status=expired&limit=500&results=true', ({ body }, scene) => {
      const closed = body.find(({ conditionId: id }: { conditionId: string }) => id === scene.value('closed'))
      assert.deepEqual([closed?.priceToBeat, closed?.priceToBeatSource], [600, 'polymarket'])
      assert.deepEqual([closed.settlementPrice, closed.settlementPriceSource], [610, 'polymarket'])
      assert.equal(Date.parse(closed.settlementPriceAt) / 1_000, Number(scene.value('closed.end.s')))
    }),
    ...HISTORY.map((list) =>
      served('pro', `${list}?limit=500&results=true`, ({ body }, scene) => {
        const closed = body.markets.find(({ market_id: id }: { market_id: string }) => id === scene.value('closed'))
        assert.deepEqual([closed?.price_to_beat, closed?.price_to_beat_source], [600, 'polymarket'])
        assert.deepEqual([closed.settlement_price, closed.settlement_price_source], [610, 'polymarket'])
        assert.equal(Date.parse(closed.price_to_beat_at) / 1_000, Number(scene.value('closed.start.s')))
      }),
    ),
  ]),
  clause('added', '`results=true` needs a limit of at most 500.', [
    ...['/v1/markets/live', ...HISTORY].flatMap((list) => [
      refused('pro', `${list}?results=true`, INVALID, namesProblem('results')),
      refused('pro', `${list}?results=true&limit=501`, INVALID, namesProblem('results')),
    ]),
    refused('pro', '/v1/markets/live?results=true&limit=5&form=declared', INVALID, namesProblem('results')),
  ]),
]

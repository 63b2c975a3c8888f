import assert from 'node:assert/strict'
import { all, hasHeaders, isLike } from '../checks.ts'
import { type Clause, clause, refused, served } from '../clause.ts'
import { PERP_HOUR_BOOKS } from '../scene/perp-hour.ts'

const EXPORT = '/v1/exchange/export'
const PAST = `${EXPORT}?symbol=ZEC&hour={perp.hour}`

export const perpHourClauses: readonly Clause[] = [
  clause('added', 'A dry run has the rows, the price and the gaps of the file; it is free.', [
    ...[`${PAST}&dry_run=true&format=json`, `${PAST}&part=gaps&exchange=hyperliquid_perp`].map((request) =>
      served(
        'pro',
        request,
        all(
          hasHeaders({ 'x-credits-cost': /^0$/ }),
          isLike({ rows: PERP_HOUR_BOOKS, credits: 1, gap_count: 1 }),
          ({ body }) => assert.equal(body.gaps[0].cause, 'capturer_down'),
        ),
      ),
    ),
  ]),
  clause('added', 'The file is Parquet and costs 1 credit for every 1,000 books, once a day.', [
    served(
      'scale',
      `${PAST}&part=snapshots&dry_run=false`,
      all(
        hasHeaders({
          'content-type': 'application/vnd.apache.parquet',
          'x-row-count': new RegExp(`^${PERP_HOUR_BOOKS}$`),
          'x-gap-count': /^1$/,
          'x-sha256': /^[0-9a-f]{64}$/,
          'x-credits-cost': /^[01]$/,
        }),
        ({ text }) => assert.ok(text.startsWith('PAR1') && text.endsWith('PAR1')),
        async (_, scene) => {
          const again = await scene.ask('scale', PAST)
          assert.equal(again.headers['x-credits-cost'], '0')
        },
      ),
    ),
    refused('pro', PAST, [403, 'tier_not_allowed'], ({ text }) => assert.match(text, /scale/)),
    refused('scale', `${EXPORT}?symbol=ZEC&hour={perp.hour.before}`, [404, 'no_data_at_time'], ({ text }) =>
      assert.match(text, /part=gaps/),
    ),
  ]),
]

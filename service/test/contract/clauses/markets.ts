import assert from 'node:assert/strict'
import { all, hasMembers, isLike } from '../checks.ts'
import { type Clause, clause, served } from '../clause.ts'
import { SINGLE_MARKET } from '../members.ts'

const BY_SLUG = '/v1/markets/by-slug'

export const marketClauses: readonly Clause[] = [
  clause('2.3', 'A live crypto market has every listed member, its coin and the price of the coin.', [
    ...['{live.slug}', '{live}'].map((slug) =>
      served(
        'free',
        `${BY_SLUG}/${slug}`,
        all(hasMembers({ ...SINGLE_MARKET, crypto: 'text', crypto_price: 'number' }), ({ body }, scene) => {
          assert.equal(body.market_id, scene.value('live'))
          assert.equal(body.crypto, body.subcategory)
          assert.deepEqual(body.outcomes, ['Yes', 'No'])
          assert.deepEqual(body.token_ids, [body.token_id_up, body.token_id_down])
          assert.ok(body.crypto_price > 0)
        }),
      ),
    ),
  ]),
  clause('2.3', 'A live market of another category has an empty `crypto` and the `crypto_price` 0.', [
    served(
      'pro',
      `${BY_SLUG}/{other.slug}`,
      all(hasMembers(SINGLE_MARKET), isLike({ crypto: '', crypto_price: 0, outcomes: ['Yes', 'No'] })),
    ),
  ]),
  clause(
    '2.3',
    'A closed market is answered from stored metadata, with label, question, end date, event title and negative-risk id.',
    [
      served(
        'free',
        `${BY_SLUG}/{closed.slug}`,
        all(
          hasMembers({ ...SINGLE_MARKET, event_title: 'text', neg_risk_id: 'text' }),
          isLike({
            active: false,
            expired: true,
            expires_in: 0,
            outcomes: ['Up', 'Down'],
            label: 'Label contract closed',
            question: 'What of contract closed?',
            event_title: 'Event contract closed',
            neg_risk_id: '0xneg',
            crypto: 'BNB',
          }),
        ),
      ),
    ],
  ),
  clause('2.3', 'A closed market of another category has no `crypto` and no price.', [
    served(
      'pro',
      `${BY_SLUG}/{closed_other.slug}`,
      all(hasMembers(SINGLE_MARKET), isLike({ slug: 'finished-game', category: 'sports', expired: true }), ({ body }) =>
        assert.deepEqual(
          Object.keys(body).filter((name) => name.startsWith('crypto')),
          [],
        ),
      ),
    ),
  ]),
  clause('3', 'A live market is active and not expired, by slug and by raw id.', [
    ...['{live.slug}', '{live}'].map((slug) =>
      served(
        'free',
        `${BY_SLUG}/${slug}`,
        all(isLike({ active: true, expired: false }), ({ body }, { nowMs }) =>
          assert.equal(body.expires_in, Date.parse(body.end_date) - nowMs),
        ),
      ),
    ),
  ]),
  clause('3', 'A closed market is expired and not active, by slug and by raw id.', [
    ...['{closed.slug}', '{closed}', '{old}'].map((slug) =>
      served(
        'free',
        `${BY_SLUG}/${slug}`,
        all(isLike({ active: false, expired: true, expires_in: 0 }), ({ body }, { nowMs }) =>
          assert.ok(Date.parse(body.end_date) < nowMs),
        ),
      ),
    ),
  ]),
  clause(
    '4.2',
    'A summary has spread, depth, price range and both sides, for live and closed markets and those without metadata.',
    [
      ...['live', 'other', 'closed', 'old', 'forgotten'].map((name) =>
        served(
          'pro',
          `/v1/markets/{${name}}/summary`,
          all(
            hasMembers({ market_id: 'text', snapshot_count: 'whole', first_seen: 'time', last_seen: 'time' }),
            hasMembers({ avg_mid_price: 'number', min_mid_price: 'number', max_mid_price: 'number' }),
            hasMembers({ avg_spread: 'number', avg_bid_depth: 'number', avg_ask_depth: 'number' }),
            ({ body }, scene) => {
              assert.equal(body.market_id, scene.value(name))
              assert.deepEqual(
                body.sides.map(({ token_side }: { token_side: string }) => token_side),
                ['UP', 'DOWN'],
              )
              assert.ok(body.min_mid_price <= body.avg_mid_price && body.avg_mid_price <= body.max_mid_price)
              assert.ok(body.avg_spread > 0 && body.snapshot_count >= 8 && body.avg_bid_depth > 0)
            },
          ),
        ),
      ),
    ],
  ),
  clause('4.2', 'The figures of a summary are those of the stored snapshots of UP.', [
    served('pro', '/v1/markets/{closed}/summary', async ({ body }, scene) => {
      const { body: page } = await scene.ask('pro', '/v1/markets/{closed}/snapshots?from={row.first}&side=UP&limit=500')
      const mids: number[] = page.snapshots.map(({ mid }: { mid: number }) => mid)
      const near = (one: number, other: number) => assert.ok(Math.abs(one - other) < 1e-4, `${one} ${other}`)
      assert.equal(body.snapshot_count, 2 * mids.length)
      near(body.min_mid_price, Math.min(...mids))
      near(body.max_mid_price, Math.max(...mids))
      near(body.avg_mid_price, mids.reduce((sum, mid) => sum + mid, 0) / mids.length)
      assert.equal(body.first_seen.slice(0, 19), page.snapshots[0].capture_timestamp.slice(0, 19))
    }),
  ]),
]

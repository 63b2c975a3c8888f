import assert from 'node:assert/strict'
import { cellsOf, namesProblem, recordsOf } from '../checks.ts'
import type { ContractScene } from '../clause.ts'
import { type Case, type Check, type Clause, clause } from '../clause.ts'
import { BOOK_MEMBERS, isDeclaredBook, MARKET_MEMBERS, SNAPSHOT_MEMBERS } from '../declared-members.ts'

type Json = Readonly<Record<string, unknown>>

const LIVE = '/v1/markets/live'
const BOOKS = ['/v1/markets/{frozen}/orderbook', '/v1/markets/by-slug/{frozen.slug}/orderbook'] as const
const LIVE_BOOKS = ['/v1/markets/{live}/orderbook', '/v1/markets/by-slug/{live.slug}/orderbook'] as const
const CLOSED_LIST = '/v1/markets/{closed}/snapshots?from={row.first}&limit=6'
const CLOSED_NEAREST = '/api/snapshot?marketId={closed}&timestamp={row.3}&includebook=true'
const LATEST = '/api/snapshot/latest'
const WITH_FORMS = [`${LIVE}?limit=1`, ...LIVE_BOOKS, CLOSED_LIST, CLOSED_NEAREST, LATEST]

const and = (request: string, more: string): string => `${request}${request.includes('?') ? '&' : '?'}${more}`

/** The time at which the frozen market was made: its book and the live list are the same in every request. */
const frozenTime = (scene: ContractScene) => ({ atMs: Number(scene.value('made.ms')) })

function declaredMarket(entry: Json): Json {
  const { conditionId, slug, question, category, subcategory, timeframe, expired, tokenIds } = entry
  const [up, down] = tokenIds as [string, string]
  return {
    condition_id: conditionId,
    slug,
    question,
    category,
    subcategory,
    timeframe,
    active: expired === false,
    tokens: [
      { token_id: up, side: 'UP' },
      { token_id: down, side: 'DOWN' },
    ],
  }
}

function pairs(levels: unknown): unknown {
  return (levels as { price: number; size: number }[]).map(({ price, size }) => [price, size])
}

/** What the declared list must be, from the other form of the same list. */
function sameMarkets(query: string, isShown: (markets: readonly Json[]) => boolean): Case {
  return {
    as: 'pro',
    request: `${LIVE}?form=declared${query}`,
    check: async (_, scene) => {
      const [declared, described] = await Promise.all([
        scene.ask('pro', `${LIVE}?form=declared${query}`, frozenTime(scene)),
        scene.ask('pro', `${LIVE}?${query.slice(1)}`, frozenTime(scene)),
      ])
      assert.deepEqual(Object.keys(declared.body), ['markets'])
      assert.deepEqual(declared.body.markets, described.body.map(declaredMarket))
      for (const market of declared.body.markets) assert.deepEqual(Object.keys(market), MARKET_MEMBERS)
      assert.equal(declared.headers['x-total-count'], described.headers['x-total-count'])
      assert.ok(isShown(described.body), 'the list has nothing that shows it')
    },
  }
}

const has = (name: string, value: unknown) => (markets: readonly Json[]) =>
  markets.some((market) => JSON.stringify(market[name]) === JSON.stringify(value))

const isSameAsDescribed =
  (request: string, declaredOf: (described: Json) => unknown): Check =>
  async ({ body }, scene) => {
    const described = await scene.ask('pro', request)
    assert.deepEqual(body, declaredOf(described.body))
  }

function withoutFlags({ flags, proof, ...snapshot }: Json): Json {
  assert.ok(Array.isArray(flags) && typeof proof === 'string')
  return snapshot
}

function columns(request: string, rowCount: number | undefined, names: readonly string[], isPart = false): Case {
  return {
    as: 'scale',
    request: and(request, 'form=declared&format=csv'),
    check: ({ text, headers }) => {
      const [header = [], ...rows] = cellsOf(text, ',')
      const repeated = ['x-markets', 'x-snapshots'].filter((name) => name in headers || `${name}-count` in headers)
      assert.deepEqual(repeated, [], 'rows are repeated in headers')
      if (isPart) assert.ok(names.every((name) => header.includes(name)) && !header.includes('tokenId'))
      else assert.deepEqual(header, names)
      assert.equal(rows.length, rowCount ?? rows.length)
      assert.ok(rows.length > 0)
    },
  }
}

export const formClauses: readonly Clause[] = [
  clause('2.2', 'With `form=declared` the live list is `{markets}`, with the declared members only.', [
    sameMarkets('', (markets) => has('outcomes', ['UP', 'DOWN'])(markets) && has('outcomes', ['Yes', 'No'])(markets)),
    sameMarkets('&category=sports&limit=2&offset=1', (markets) => markets.length === 2),
    sameMarkets('&status=expired&limit=50', has('expired', true)),
  ]),
  clause(
    '2.4',
    'With `form=declared` both token books have exactly the declared members; figures follow from the ladders, `depth5` from five levels.',
    LIVE_BOOKS.map((request) => ({
      as: 'free',
      request: and(request, 'form=declared'),
      check: ({ body }) => {
        isDeclaredBook(body.up, 'UP')
        isDeclaredBook(body.down, 'DOWN')
        assert.ok(body.up.bids.length > 5 && body.up.asks.length > 5, 'too few levels to show the sum of five')
      },
    })),
  ),
  clause('2.4', 'Both forms of a book have the same market, tokens, prices and levels.', [
    ...BOOKS.map(
      (path, index): Case => ({
        as: 'pro',
        request: and(LIVE_BOOKS[index] ?? '', 'form=declared'),
        check: async (_, scene) => {
          const ask = (query: string) => scene.ask('pro', and(path, query), frozenTime(scene))
          const [declared, described, bare] = await Promise.all([
            ask('form=declared'),
            ask('includebook=true'),
            ask('form=declared&includebook=false'),
          ])
          const { up, down, ...market } = declared.body
          const { up: upDescribed, down: downDescribed, ...marketDescribed } = described.body
          assert.deepEqual(market, marketDescribed)
          for (const [book, other] of [
            [up, upDescribed],
            [down, downDescribed],
          ]) {
            assert.deepEqual(
              [book.token_id, book.best_bid, book.best_ask, book.mid, book.spread, book.bids, book.asks],
              [
                other.tokenId,
                other.bestBid,
                other.bestAsk,
                other.midPrice,
                other.spread,
                pairs(other.bids),
                pairs(other.asks),
              ],
            )
          }
          const { bids: _bids, asks: _asks, ...figures } = up
          assert.deepEqual(bare.body.up, figures)
        },
      }),
    ),
  ]),
  clause(
    '2.5',
    'With `form=declared` a snapshot has exactly the declared members, for the same price; `X-Venue` is the venue.',
    [
      {
        as: 'pro',
        request: and(CLOSED_LIST, 'form=declared'),
        check: async (answer, scene) => {
          const { body, headers } = answer
          assert.equal(body.snapshots.length, 6)
          for (const snapshot of body.snapshots) assert.deepEqual(Object.keys(snapshot), SNAPSHOT_MEMBERS)
          assert.equal(headers['x-credits-cost'], '10')
          await isSameAsDescribed(CLOSED_LIST, (described) => ({
            ...described,
            snapshots: (described.snapshots as Json[]).map(withoutFlags),
          }))(answer, scene)
        },
      },
      ...(['UP', 'DOWN'] as const).map(
        (side): Case => ({
          as: 'pro',
          request: and(CLOSED_NEAREST, `form=declared&side=${side}`),
          check: async (answer, scene) => {
            assert.deepEqual(Object.keys(answer.body), SNAPSHOT_MEMBERS)
            assert.equal(answer.body.side, side)
            const described = (body: Json) => {
              const { counterpart: _counterpart, distance_ms: _distance, venue, ...snapshot } = body
              assert.equal(answer.headers['x-venue'], venue)
              return withoutFlags(snapshot)
            }
            await isSameAsDescribed(`${CLOSED_NEAREST}&side=${side}`, described)(answer, scene)
          },
        }),
      ),
      {
        as: 'pro',
        request: and(LATEST, 'form=declared&includebook=true'),
        check: ({ body }) => {
          assert.equal(body.length, 5)
          for (const snapshot of body) assert.deepEqual(Object.keys(snapshot), SNAPSHOT_MEMBERS)
          assert.ok(body.every(({ side }: Json) => side === 'UP'))
        },
      },
    ],
  ),
  clause('2.2', 'Without `form` the answer is the described form, which is also `form=described`.', [
    ...[CLOSED_LIST, CLOSED_NEAREST].map(
      (request): Case => ({
        as: 'pro',
        request: and(request, 'form=described'),
        check: async ({ text }, scene) => assert.equal(text, (await scene.ask('pro', request)).text),
      }),
    ),
    ...[LIVE, ...BOOKS].map(
      (path): Case => ({
        as: 'pro',
        request: and(path.replace('frozen', 'live'), 'form=described'),
        check: async (_, scene) => {
          const [plain, described] = await Promise.all([
            scene.ask('pro', path, frozenTime(scene)),
            scene.ask('pro', and(path, 'form=described'), frozenTime(scene)),
          ])
          assert.equal(described.text, plain.text)
          assert.ok(path === LIVE ? Array.isArray(plain.body) : 'tokenId' in plain.body.up)
        },
      }),
    ),
  ]),
  clause('4.2', 'Another `form` is 400 and named; an answer with one form does not have the parameter.', [
    ...WITH_FORMS.map(
      (request): Case => ({
        as: 'pro',
        request: and(request, 'form=Declared'),
        status: 400,
        error: 'invalid_request',
        check: namesProblem('form'),
      }),
    ),
    ...['/v1/categories', '/v1/markets/by-slug/{live.slug}', '/v1/markets/history'].map(
      (request): Case => ({
        as: 'pro',
        request: `${request}?form=declared`,
        status: 400,
        error: 'invalid_request',
        check: ({ body }) => assert.deepEqual(body.details.unknown_parameters, ['form']),
      }),
    ),
    {
      as: 'scale',
      request: and(CLOSED_LIST, 'form=declared&format=parquet'),
      status: 400,
      error: 'invalid_request',
      check: namesProblem('format'),
    },
  ]),
  clause('4.2', 'In csv and tsv the columns of `form=declared` are the declared members.', [
    columns(`${LIVE}?limit=3`, 3, MARKET_MEMBERS),
    columns(LIVE_BOOKS[0], 2, BOOK_MEMBERS, true),
    columns(LIVE_BOOKS[1], 2, BOOK_MEMBERS, true),
    columns(CLOSED_LIST, 6, SNAPSHOT_MEMBERS),
    columns(CLOSED_NEAREST, 1, SNAPSHOT_MEMBERS),
    columns(`${LATEST}?includebook=true`, 5, SNAPSHOT_MEMBERS),
    {
      as: 'scale',
      request: and(CLOSED_LIST, 'form=declared&format=tsv'),
      check: async ({ text }, scene) => {
        const { body } = await scene.ask('pro', and(CLOSED_LIST, 'form=declared'))
        const cells = recordsOf(text, '\t').map(({ bids = '', depth5_bid, side }) => [
          JSON.parse(bids),
          depth5_bid,
          side,
        ])
        assert.deepEqual(
          cells,
          body.snapshots.map(({ bids, depth5_bid, side }: Json) => [bids, String(depth5_bid), side]),
        )
      },
    },
  ]),
]

import assert from 'node:assert/strict'
import { type Clause, clause, served } from '../clause.ts'

/** The made rows have no proof. */
function assertUnproved(tokens: readonly { flags: readonly string[]; proof: string }[]): void {
  for (const { flags, proof } of tokens) {
    assert.equal(proof, 'hash')
    assert.ok(flags.includes('unverified') && !flags.includes('verified'))
  }
}

export const addedClauses: readonly Clause[] = [
  clause('added', '`within` of the depth endpoint limits the distance from the mid price.', [
    served('pro', '/v1/markets/{frozen}/depth?within=0.02', async ({ body }, scene) => {
      // Best bid 0.48, best ask 0.51 and a bid at 0.47: mid is 0.495.
      const sizes = ({ tokens }: { tokens: { bid_size: number; ask_size: number }[] }) => [
        tokens[0]?.bid_size,
        tokens[0]?.ask_size,
      ]
      assert.deepEqual([body.within, ...sizes(body)], [0.02, 100, 70])
      const { body: wider } = await scene.ask('pro', '/v1/markets/{frozen}/depth?within=0.03')
      assert.deepEqual(sizes(wider), [150.5, 70])
    }),
  ]),
  clause('added', 'A quote has the best prices, sizes and age of the live book.', [
    served('pro', '/v1/quotes?ids={frozen}', ({ body }) => {
      const [quote] = body.quotes
      assert.deepEqual([quote.up_bid, quote.up_bid_size, quote.up_ask, quote.up_ask_size], [0.48, 100, 0.51, 70])
      assert.deepEqual([quote.age_ms < 500, quote.stale, body.total_markets], [true, false, 1])
    }),
  ]),
  clause('added', 'A market without a quote is listed with the reason; other markets have theirs.', [
    served('pro', '/v1/quotes?ids={closed}', ({ body: { quotes, without_quote: without } }, scene) => {
      assert.deepEqual(quotes, [])
      assert.deepEqual(without, [{ market_id: scene.value('closed'), reason: 'market_closed' }])
    }),
    served(
      'scale',
      '/v1/quotes?category=crypto&subcategory=ETH&crypto=ETH&timeframe=all&venue=all',
      ({ body }, scene) => {
        const quoted = [...body.quotes, ...body.without_quote].map(({ market_id: id }: { market_id: string }) => id)
        assert.ok(quoted.includes(scene.value('frozen')))
      },
    ),
  ]),
  clause('added', 'Markets without a result are found by words, best match first, also misspelled ones.', [
    served('pro', '/v1/markets/search?q=bitcoin&limit=5', ({ body }) => assert.ok(body.length > 0)),
    served('pro', '/v1/markets/search?q=bitcion&limit=5', ({ body }) => assert.ok(body.length > 0)),
    served('pro', '/v1/markets/search?q=zzzzqqqq', ({ body, headers }) => {
      assert.deepEqual(body, [])
      assert.equal(headers['x-empty-reason'], 'no_match')
    }),
    served(
      'scale',
      '/v1/markets/search?q=frozen&category=crypto&subcategory=ETH&crypto=ETH&timeframe=all&venue=polymarket&status=live&offset=0',
      ({ body: [market] }, scene) => assert.equal(market.market_id, scene.value('frozen')),
    ),
  ]),
  clause(
    'added',
    'Every token states the proof that its venue offers; where it offers a hash, the token is either verified or unverified.',
    [
      served('pro', '/v1/markets/{frozen}/orderbook', ({ body: { up, down } }) => assertUnproved([up, down])),
      served('pro', '/v1/markets/{frozen}/depth', ({ body }) => assertUnproved(body.tokens)),
      served('pro', '/v1/markets/{closed}/snapshots?limit=4', ({ body }) => assertUnproved(body.snapshots)),
      served('pro', '/v1/exchange/snapshots?symbol=BTC&limit=1', ({ body: [book] }) =>
        assert.equal(book.proof, 'none'),
      ),
    ],
  ),
  clause('added', 'Corrected hours are listed for everybody; filters leave out the others.', [
    served('nobody', '/v1/corrections?limit=2', ({ body }) => assert.equal(body.corrections.length, 2)),
    served('nobody', '/v1/corrections?market={live}&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z', ({ body }) =>
      assert.deepEqual(body, { corrections: [], next_cursor: null }),
    ),
  ]),
  clause('added', 'The execution price is that of the book, for an amount in shares or in USD.', [
    served('pro', '/v1/markets/{frozen}/execution?side=UP&action=buy&size=5', ({ body }) =>
      assert.deepEqual([body.vwap, body.filled_size, body.complete], [0.51, 5, true]),
    ),
    served('pro', '/v1/markets/{frozen}/execution?side=UP&action=buy&notional=5.1', ({ body }) =>
      assert.deepEqual([body.vwap, body.filled_size, body.filled_notional], [0.51, 10, 5.1]),
    ),
  ]),
  clause('added', '`includebook` of the as-of endpoint is true by default; false leaves out the levels.', [
    ...['&includebook=true', ''].map((query) =>
      served('pro', `/v1/asof?timestamp={row.7}&markets={closed}${query}`, ({ text }) =>
        assert.match(text, /"bids":\[\[/),
      ),
    ),
    served('pro', '/v1/asof?timestamp={row.7}&markets={closed}&includebook=false', ({ text, body }, scene) => {
      assert.doesNotMatch(text, /"bids"/)
      assert.equal(body.markets[0].market_id, scene.value('closed'))
    }),
  ]),
  clause('added', 'Bars are those of UP by default; `side=DOWN` has the complement of their prices.', [
    served('pro', '/v1/markets/{closed}/bars?interval=1m&from={closed.start.s}&side=DOWN', async ({ body }, scene) => {
      const path = '/v1/markets/{closed}/bars?interval=1m&from={closed.start.s}'
      const { body: up } = await scene.ask('pro', `${path}&side=UP`)
      assert.deepEqual((await scene.ask('pro', path)).body.bars, up.bars)
      assert.ok(Math.abs(body.bars[0].open + up.bars[0].open - 1) < 1e-6 && body.bars[0].open !== up.bars[0].open)
    }),
  ]),
  clause('added', '`kind` and `cause` select gaps.', [
    served('pro', '/v1/markets/{holey}/gaps?kind=missing', ({ body }) => {
      assert.ok(body.gaps.length > 10 && body.gaps.every(({ kind }: { kind: string }) => kind === 'missing'))
    }),
    served('pro', '/v1/markets/{holey}/gaps?kind=suspect', ({ body }) => assert.deepEqual(body.gaps, [])),
    served('pro', '/v1/markets/{holey}/gaps?cause=venue_silent', async ({ body }, scene) => {
      const { body: everything } = await scene.ask('pro', '/v1/markets/{holey}/gaps')
      assert.ok(body.gaps.length > 0 && body.gaps.length < everything.gaps.length)
      assert.ok(body.gaps.every(({ cause }: { cause: string }) => cause === 'venue_silent'))
    }),
  ]),
  clause('6', '`/health` reports the state of the WebSocket service.', [
    served('nobody', '/health', ({ body }) => assert.match(body.websocket, /^(ok|off|down|degraded)$/)),
  ]),
  clause('6', 'Each tier has a maximum of WebSocket connections: free 0, pro 1, scale 5, enterprise 10.', [
    served('nobody', '/v1/payments/packs', ({ body }) => {
      const limits = Object.values<{ wsMax: number }>(body.tiers).map(({ wsMax }) => wsMax)
      assert.deepEqual(limits, [0, 1, 5, 10])
    }),
    served('pro', '/v1/limits', ({ body }) => assert.equal(body.wsMax, 1)),
  ]),
]

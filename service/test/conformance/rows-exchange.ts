import assert from 'node:assert/strict'
import { all, hasHeaders, hasMembers, namesProblem } from './checks.ts'
import { EXCHANGE_BOOK } from './members.ts'
import { type Row, rowsOf } from './row.ts'

const PERPS = '/v1/exchange/snapshots'
const PERP = '/v1/exchange/orderbook'

type Check = NonNullable<Row['check']>

const SYMBOLS = 'BTC ETH SOL XRP DOGE BNB HYPE'.split(' ')

export const exchangeRows: readonly Row[] = rowsOf('4.4', [
  ...SYMBOLS.flatMap((symbol) => [
    {
      endpoint: PERP,
      request: `${PERP}?symbol=${symbol}&exchange=hyperliquid_perp`,
      as: 'scale' as const,
      shows: 'All seven coins have a live book.',
      status: 200,
      check: all(hasMembers(EXCHANGE_BOOK), (({ body }) => assert.equal(body.symbol, symbol)) as Check),
    },
    {
      endpoint: PERPS,
      request: `${PERPS}?symbol=${symbol}`,
      as: 'free' as const,
      shows: 'Stored books of every coin, for every tier; newest first unless a lower bound is given.',
      status: 200,
      check: all(hasMembers(EXCHANGE_BOOK), (({ body }) => {
        assert.ok(body.length <= 100)
        const times = body.map(({ timestamp }: { timestamp: string }) => timestamp)
        assert.deepEqual(times, times.toSorted().toReversed())
      }) as Check),
    },
  ]),
  {
    endpoint: PERPS,
    request: `${PERPS}?symbol=BTC&from={ten_seconds_ago}&to={two_seconds_ago}&exchange=hyperliquid_perp&limit=500`,
    as: 'pro',
    shows: 'Bounds hold: nothing before the lower, nothing at or after the upper.',
    status: 200,
    check: ({ body }) => {
      const times = body.map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp))
      assert.ok(
        times.length > 0 && times.every((time: number) => time < Date.now() - 2_000 && time > Date.now() - 30_000),
      )
    },
  },
  {
    endpoint: PERP,
    request: `${PERP}?symbol=BTC&exchange=hyperliquid_perp`,
    as: 'scale',
    aheadMs: 65_000,
    shows: 'Only what is of the last 60 seconds is live; else 404 with the words of the interface.',
    status: 404,
    error: 'no_recent_data',
    check: all(({ body }) => assert.equal(body.message, 'No recent data'), hasHeaders({ 'retry-after': /^\d+$/ })),
  },
  ...['free', 'pro'].map((tier) => ({
    endpoint: PERP,
    request: `${PERP}?symbol=BTC&exchange=hyperliquid_perp`,
    as: tier as 'free' | 'pro',
    aheadMs: 65_000,
    shows: 'A tier without access gets 403, whether or not there is a live book.',
    status: 403,
    error: 'tier_not_allowed' as const,
  })),
  ...(
    [
      ['exchange=hyperliquid_perp', 'symbol'],
      ['symbol=BTC', 'exchange'],
      ['symbol=PEPE&exchange=hyperliquid_perp', 'symbol'],
      ['symbol=BTC&exchange=binance', 'exchange'],
    ] as const
  ).map(([query, parameter]) => ({
    endpoint: PERP,
    request: `${PERP}?${query}`,
    as: 'scale' as const,
    shows: 'Symbol and exchange must be given, and be known.',
    status: 400,
    error: 'invalid_request' as const,
    check: namesProblem(parameter),
  })),
  ...(
    [
      ['', 'symbol'],
      ['symbol=PEPE', 'symbol'],
      ['symbol=BTC&from=never', 'from'],
    ] as const
  ).map(([query, parameter]) => ({
    endpoint: PERPS,
    request: `${PERPS}?${query}`,
    as: 'pro' as const,
    shows: 'The symbol must be given, and times must be valid.',
    status: 400,
    error: 'invalid_request' as const,
    check: namesProblem(parameter),
  })),
])

import assert from 'node:assert/strict'
import { ASKED_ENDPOINTS, withParameter } from './asked-endpoints.ts'
import { everyItem, isEmptyBecause, namesProblem } from './checks.ts'
import { type Row, rowsOf } from './row.ts'

const unknown: Row[] = ASKED_ENDPOINTS.map(({ section, path, request, as }) => ({
  section: section ?? 'added',
  endpoint: path,
  request: withParameter(request, 'nonsense=1'),
  as,
  shows: 'A parameter that does not exist is refused, with those that do.',
  status: 400,
  error: 'invalid_request',
  check: ({ body }) => {
    assert.deepEqual(body.details.unknown_parameters, ['nonsense'])
    assert.ok(body.details.allowed_parameters.includes('format'))
  },
}))

const repeated: Row[] = ASKED_ENDPOINTS.map(({ section, path, request, as }) => ({
  section: section ?? 'added',
  endpoint: path,
  request: withParameter(request, 'format=json&format=json'),
  as,
  shows: 'A parameter that is given twice is refused.',
  status: 400,
  error: 'invalid_request',
  check: namesProblem('format'),
}))

const format: Row[] = ASKED_ENDPOINTS.flatMap(({ section, path, request, as }): Row[] => [
  {
    section: section ?? 'added',
    endpoint: path,
    request: withParameter(request, 'format=json'),
    as,
    shows: '`format=json` is the same as leaving it out.',
    status: 200,
  },
  {
    section: section ?? 'added',
    endpoint: path,
    request: withParameter(request, 'format=xml'),
    as,
    shows: 'A format that does not exist is refused.',
    status: 400,
    error: 'invalid_request',
    check: namesProblem('format'),
  },
])

const limits: Row[] = ASKED_ENDPOINTS.flatMap(({ section, path, request, as, limit }) => {
  if (limit === undefined) return []
  const [least, most] = limit
  const refused = [least - 1, most + 1, -1, 1.5, 'ten', ''].map(
    (value): Row => ({
      section: section === undefined ? 'added' : '8',
      endpoint: path,
      request: withParameter(request, `limit=${value}`),
      as,
      shows: 'A limit out of range, or that is no whole number, is refused and never cut to fit.',
      status: 400,
      error: 'invalid_request',
      check: namesProblem('limit'),
    }),
  )
  const taken = [least, most].map(
    (value): Row => ({
      section: section === undefined ? 'added' : '8',
      endpoint: path,
      request: withParameter(request, `limit=${value}`),
      as,
      shows: 'The smallest and the largest limit are taken.',
      status: 200,
      check: ({ body }) => {
        const items = Array.isArray(body)
          ? body
          : (body.snapshots ?? body.markets ?? body.bars ?? body.trades ?? body.gaps)
        assert.ok(items.length <= value)
      },
    }),
  )
  return [...refused, ...taken]
})

/** Interface 4.2, value by value. */
const CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'equities']
const SUBCATEGORIES =
  'NBA NFL EPL FIFA IPL BTC ETH SOL XRP DOGE BNB HYPE FOMC London IPO Private StockPrice Commodity Forex SPX Elon'
const TIMEFRAMES: Readonly<Record<string, string>> = {
  crypto: '5m 15m 1h 4h 1d hit-price',
  sports: 'game',
  economics: 'rates',
  social: 'weekly',
  weather: 'daily-high daily-low event seasonal',
  equities: 'annual monthly daily event earnings quarterly valuation comparison leaderboard',
}
const COINS = 'BTC ETH SOL XRP DOGE BNB HYPE'.split(' ')
const LISTS = ['/v1/markets/live', '/v1/markets/history', '/v1/markets/history/recent']

/** The items of a list response, bare or in an envelope. */
function entriesAre(isRight: (entry: Record<string, unknown>) => boolean): NonNullable<Row['check']> {
  return (answer, scene) => {
    const entries = Array.isArray(answer.body) ? answer.body : answer.body.markets
    return everyItem(isRight, true)({ ...answer, body: entries }, scene)
  }
}

function filter(
  list: string,
  name: string,
  value: string,
  isRight: (entry: Record<string, unknown>) => boolean,
): Omit<Row, 'section'> {
  return {
    endpoint: list,
    request: `${list}?${name}=${encodeURIComponent(value)}`,
    as: 'pro',
    shows: `Every value of \`${name}\` is taken, and only what matches is listed; an empty list says why it is empty.`,
    status: 200,
    check: entriesAre(isRight),
  }
}

const filters = rowsOf(
  '4.2',
  LISTS.flatMap((list) => [
    ...CATEGORIES.map((value) => filter(list, 'category', value, ({ category }) => category === value)),
    ...[...SUBCATEGORIES.split(' '), 'New York City'].map((value) =>
      filter(list, 'subcategory', value, ({ subcategory }) => subcategory === value),
    ),
    ...COINS.map((value) =>
      filter(list, 'crypto', value, ({ category, subcategory }) => category === 'crypto' && subcategory === value),
    ),
    ...Object.values(TIMEFRAMES)
      .flatMap((values) => values.split(' '))
      .map((value) => filter(list, 'timeframe', value, ({ timeframe }) => timeframe === value)),
    {
      endpoint: list,
      request: `${list}?crypto=btc&timeframe=all`,
      as: 'pro' as const,
      shows: 'Coins are taken in any case, and `all` is no filter.',
      status: 200,
      check: entriesAre(({ subcategory }) => subcategory === 'BTC'),
    },
    {
      endpoint: list,
      request: `${list}?subcategory=btc`,
      as: 'pro' as const,
      shows: 'Letters of a subcategory count: another case matches nothing, and that is said.',
      status: 200,
      check: isEmptyBecause('no_match'),
    },
    {
      endpoint: list,
      request: `${list}?category=exchange`,
      as: 'pro' as const,
      shows: 'No market is of the category exchange, which is a word of the interface all the same.',
      status: 200,
      check: isEmptyBecause('no_match'),
    },
    {
      endpoint: list,
      request: `${list}?subcategory=Nowhere`,
      as: 'pro' as const,
      shows: 'An unknown subcategory is an empty list with its reason.',
      status: 200,
      check: isEmptyBecause('no_match'),
    },
    ...['category=politics', 'category=Crypto', 'crypto=PEPE', 'timeframe=7m', 'subcategory='].map((parameter) => ({
      endpoint: list,
      request: `${list}?${parameter}`,
      as: 'pro' as const,
      shows: 'A category, coin or timeframe that does not exist, or an empty value, is refused.',
      status: 400,
      error: 'invalid_request' as const,
      check: namesProblem(parameter.split('=')[0] ?? ''),
    })),
  ]),
)

export const parameterRows: readonly Row[] = [...unknown, ...repeated, ...format, ...limits, ...filters]

import { HOUR_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { archive, madeMarket, madeRow, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { marketFactStore } from '../../src/stores/markets/market-facts.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'
import { startGatewayNode } from '../gateway/gateway-node.ts'
import { StreamClient } from '../gateway/stream-client.ts'

/** Into the second hour. */
const LAST = 14_400 + 999
const RANGE = { from: instantOf(PAST_HOUR_MS), to: instantOf(PAST_HOUR_MS + 2 * HOUR_MS) }

const JSON_BODY = { 'content-type': 'application/json' }

let service: TestService
let markets: PastMarket[]
let key: string

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('scale')
  const ends = { endsAtMs: PAST_HOUR_MS + 2 * HOUR_MS }
  const window = { category: 'crypto', subcategory: 'BTC', timeframe: '5m', ...ends } as const
  markets = [
    await PastMarket.save(service, 'one', window),
    await PastMarket.save(service, 'two', window),
    await PastMarket.save(service, 'three', { category: 'sports', ...ends }),
  ]
  const client = openClickHouse(service.config)
  await marketFactStore(client).put(markets.map(({ market }) => ({ market, publishedAtMs: PAST_HOUR_MS })))
  await client.close()
  const [one, two, three] = markets
  await one?.putRows([...one.rows(0, 999), ...one.rows(1_040, LAST)])
  await one?.putRows(one.rows(0, 50))
  await one?.putGaps([one.gap(1_000, 1_039)])
  await two?.putRows(two.rows(0, 299))
  await three?.putRows(three.rows(0, 9))
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const estimate = (payload: object, as: string | undefined = key) =>
  service.ask('/v1/estimate', {
    method: 'POST',
    headers: JSON_BODY,
    payload: JSON.stringify(payload),
    ...(as !== undefined && { key: as }),
  })
const idsOf = (...places: number[]) => places.map((place) => markets[place]?.market.id ?? '')

test('an estimate of hours is the sum of the dry runs, and what the downloads cost', async () => {
  const { status, body, headers } = await estimate({ product: 'hours', markets: idsOf(0, 1), ...RANGE })
  expect(status).toBe(200)
  expect(headers['x-credits-cost']).toBe('0')
  const hours = [PAST_HOUR_MS, PAST_HOUR_MS + HOUR_MS].flatMap((hourMs) =>
    idsOf(0, 1).map((id) => `/v1/markets/${id}/export?hour=${instantOf(hourMs)}`),
  )
  const runs = await Promise.all(hours.map(async (path) => (await service.ask(`${path}&dry_run=true`, { key })).body))
  const sum = (figure: 'rows' | 'credits') => runs.reduce((total, run) => total + run[figure], 0)
  expect(body).toMatchObject({
    product: 'hours',
    ...RANGE,
    market_count: 2,
    rows: sum('rows'),
    credits: sum('credits'),
    files: runs.filter(({ rows }) => rows > 0).length,
    unfinished_hours: 0,
    gap_count: 1,
    causes: { disconnected: 40 },
    missing_slots: 40,
    expected_slots: LAST + 1 + 300,
    is_included: true,
  })
  const spent = await Promise.all(
    hours.map(async (path) =>
      Number((await service.server.inject({ url: path, headers: { 'x-api-key': key } })).headers['x-credits-cost']),
    ),
  )
  expect(spent.reduce((total, cost) => total + cost, 0)).toBe(body.credits)
})

test('an estimate of snapshots is the sum of the dry runs of the lists, cut to the range', async () => {
  const range = { from: instantOf(PAST_HOUR_MS + 100_000), to: instantOf(PAST_HOUR_MS + 400_000) }
  const { body } = await estimate({ product: 'snapshots', markets: idsOf(0), ...range })
  // 1,200 slots without the 40 missing ones, both tokens.
  expect(body).toMatchObject({ ...range, rows: 2_320, calls: 5, credits: 50, files: 0, stored_slots: 1_160 })
  expect(body).toMatchObject({ expected_slots: 1_200, missing_slots: 40, share: 0.966666 })
})

test('an estimate of a replay is its dry run, and what it costs', async () => {
  // Not at the edge of a slot, over the gap, and with rows that are stored twice.
  const range = { from: PAST_HOUR_MS + 101, to: PAST_HOUR_MS + 600_050 }
  const { body } = await estimate({
    product: 'replay',
    markets: idsOf(0, 1),
    from: instantOf(range.from),
    to: instantOf(range.to),
  })
  expect(body).toMatchObject({ rows: 2 * (2_400 - 40 + 299), credits: 6, calls: 1, files: 0, is_included: true })
  const { config, access, stores, nowMs } = service
  const node = await startGatewayNode({ config, access, stores, nowMs, onTrouble: () => {} })
  const client = await StreamClient.open(`${node.url}/v1/stream`, key)
  try {
    const replay = { op: 'replay', selectors: idsOf(0, 1).map((market) => ({ market })), ...range, speed: 'max' }
    const dry = await client.ask({ ...replay, dry_run: true })
    expect(dry.replay).toMatchObject({ rows: body.rows, credits: body.credits })
    await client.ask(replay)
    const ended = await client.until(({ type }) => type === 'replay_ended')
    expect(ended).toMatchObject({ reason: 'complete', rows: body.rows, credits: body.credits })
  } finally {
    await client.close()
    await node.stop()
  }
  const free = await estimate({ product: 'replay', markets: idsOf(0), ...RANGE }, await service.keyOf('free'))
  expect(free.body.is_included).toBe(false)
})

test('by coin and timeframe, and by category', async () => {
  const coin = await estimate({ product: 'hours', coin: 'btc', timeframe: '5m', ...RANGE })
  const ids = await estimate({ product: 'hours', markets: idsOf(0, 1), ...RANGE })
  expect(coin.body).toEqual({ ...ids.body, credits_available: coin.body.credits_available })
  const sports = await estimate({ product: 'hours', category: 'sports', venue: 'all', ...RANGE })
  expect(sports.body).toMatchObject({ market_count: 1, rows: 20, credits: 1, files: 1 })
  const kalshi = await estimate({ product: 'hours', category: 'sports', venue: 'kalshi', ...RANGE })
  expect(kalshi.body).toMatchObject({ market_count: 0, rows: 0, share: null, empty_reason: 'outside_capture' })
})

test('an estimate takes at most 100,000 hours of all markets together', async () => {
  const many = Array.from({ length: 135 }, (_, place) => madeMarket(`many ${place}`, { category: 'weather' }))
  await storeFacts(service, many)
  await archive(
    service,
    many.map((market) => madeRow(market, { atMs: PAST_HOUR_MS })),
  )
  const endMs = PAST_HOUR_MS + HOUR_MS
  const over = (days: number) =>
    estimate({
      product: 'hours',
      category: 'weather',
      from: instantOf(endMs - days * 24 * HOUR_MS),
      to: instantOf(endMs),
    })
  expect((await over(30)).body).toMatchObject({ market_count: 135 })
  const { status, body } = await over(31)
  expect([status, body.error]).toEqual([400, 'invalid_request'])
  expect(body.message).toMatch(/135 markets have rows .* 100000 hours/)
})

test('a tier without files is told, and what the key can spend', async () => {
  const { body } = await estimate(
    { product: 'hours', markets: idsOf(0), ...RANGE },
    await service.keyOf('free', { fresh: true, credits: 0 }),
  )
  expect(body).toMatchObject({ is_included: false, credits_available: 5_000 })
})

test('an hour that is not finished is told and not counted', async () => {
  const hourMs = Math.floor(service.nowMs() / HOUR_MS) * HOUR_MS
  const live = await PastMarket.save(service, 'live', { endsAtMs: hourMs + 2 * HOUR_MS })
  const offset = (hourMs - PAST_HOUR_MS) / 250
  await live.putRows(live.rows(offset, offset + 9))
  const range = { from: instantOf(hourMs), to: instantOf(hourMs + HOUR_MS) }
  const { body } = await estimate({ product: 'hours', markets: [live.market.id], ...range })
  expect(body).toMatchObject({ unfinished_hours: 1, files: 0, credits: 0, empty_reason: 'not_recorded_yet' })
})

const times = { from: RANGE.from, to: RANGE.to }
test.each([
  ['without a choice', { product: 'hours', ...times }],
  ['ids and a category', { product: 'hours', markets: [`0x${'a'.repeat(64)}`], category: 'sports', ...times }],
  ['a coin of another category', { product: 'hours', category: 'sports', coin: 'BTC', ...times }],
  ['a replay without ids', { product: 'replay', coin: 'BTC', ...times }],
  ['another product', { product: 'books', category: 'sports', ...times }],
  ['without an end', { product: 'hours', category: 'sports', from: times.from }],
  ['a start after the end', { product: 'hours', category: 'sports', from: times.to, to: times.from }],
  [
    'more than 31 days',
    { product: 'hours', category: 'sports', from: instantOf(PAST_HOUR_MS - 32 * 24 * HOUR_MS), to: times.to },
  ],
  ['101 ids', { product: 'hours', markets: Array.from({ length: 101 }, () => `0x${'a'.repeat(64)}`), ...times }],
])('%s: refused', async (_, payload) => {
  const { status, body } = await estimate(payload)
  expect([status, body.error]).toEqual([400, 'invalid_request'])
})

test('a history that the tier does not include is refused', async () => {
  const range = { from: instantOf(PAST_HOUR_MS - 10 * 24 * HOUR_MS), to: times.to }
  const { status, body } = await estimate(
    { product: 'hours', category: 'crypto', ...range },
    await service.keyOf('free'),
  )
  expect([status, body.error]).toEqual([403, 'tier_not_allowed'])
})

test('a list of invented ids costs one search in ClickHouse, not one for each', async () => {
  const searched = vi.spyOn(service.stores.recordedMarkets, 'byId')
  onTestFinished(() => searched.mockRestore())
  const invented = Array.from({ length: 100 }, (_, number) => `0x${String(number).padStart(64, '0')}`)
  const { body } = await estimate({ product: 'hours', markets: [...idsOf(0, 1), ...invented], ...RANGE })
  expect(body.error).toBe('invalid_request')
  const { body: refused } = await estimate({
    product: 'hours',
    markets: [...idsOf(0, 1), ...invented.slice(2)],
    ...RANGE,
  })
  expect(refused.error).toBe('market_not_found')
  expect(searched).toHaveBeenCalledTimes(1)
})

import { assetContext } from '@bookreel/simulator/hyperliquid/perp-context'
import { PerpMarket, perpCoin } from '@bookreel/simulator/hyperliquid/perp-market'
import { spotPrices } from '@bookreel/simulator/world/spot'
import { TestService } from '@bookreel/testbed/service/test-service'
import { PERPS_FROM_MS, WORLD_SEED } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClickHouse } from '../../src/wiring/engines.ts'

const AWAY_MS = 5_000
const SECOND_MS = 1_000
const SLOT_MS = 500
/** A trade may have happened so long before the venue tells it. */
const TRADE_DELAY_MS = 2_000

let service: TestService
let key: string
let awayFromMs: number

beforeAll(async () => {
  service = await TestService.start({ world: 'moving' })
  key = await service.keyOf('scale')
  await service.world.advance(2_000)
  awayFromMs = service.nowMs()
  service.world.disconnectPerps(AWAY_MS)
  await service.world.advance(2 * AWAY_MS)
})

afterAll(() => service?.[Symbol.asyncDispose]())

/** A row of any of the four series. */
interface Row {
  readonly trade_id: number
  readonly price: number
  readonly size: number
  readonly action: string
  readonly traded_at: string
  readonly funding_rate: number
  readonly premium: number
  readonly open_interest: number
  readonly oracle_price: number
  readonly mark_price: number
  readonly mid_price: number
}

/** All rows of a series, over all pages. */
async function all(path: string, member: string) {
  const rows: Row[] = []
  const gaps: { from: string; to: string }[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { body, text, status } = await service.ask(`/v1/exchange/${path}&limit=500${cursor}`, { key })
    expect(status, text).toBe(200)
    rows.push(...body[member])
    gaps.push(...body.gaps)
    cursor = body.next_cursor === null ? undefined : `&cursor=${body.next_cursor}`
  }
  return { rows, gaps }
}

/** Without the repeats of the one before, as they are stored. */
const changes = (list: readonly string[]): string[] => list.filter((each, index) => each !== list[index - 1])

test('trades, funding, open interest and prices equal what the venue told, and a lost connection is a gap', async () => {
  const toMs = service.nowMs()
  const range = `symbol=BTC&from=${PERPS_FROM_MS}&to=${toMs}`
  const [trades, funding, interest, prices] = await Promise.all([
    all(`trades?${range}`, 'trades'),
    all(`funding?${range}`, 'funding'),
    all(`open-interest?${range}`, 'open_interest'),
    all(`prices?${range}`, 'prices'),
  ])
  const { gaps } = trades
  const spans = gaps.map(({ from, to }) => [Date.parse(from), Date.parse(to)])
  expect(spans).toEqual([
    [PERPS_FROM_MS, PERPS_FROM_MS + SLOT_MS],
    [awayFromMs - TRADE_DELAY_MS, awayFromMs + SLOT_MS + AWAY_MS + SECOND_MS],
  ])
  expect([funding.gaps, interest.gaps, prices.gaps]).toEqual([gaps, gaps, gaps])

  const isLost = (atMs: number): boolean => spans.some(([from = 0, to = 0]) => from <= atMs && atMs < to)
  const perps = new PerpMarket(WORLD_SEED, spotPrices(WORLD_SEED))
  const coin = perpCoin('BTC')
  if (coin === undefined) throw new Error('the simulated venue has no perp of Bitcoin')
  const textOf = (...parts: readonly unknown[]): string => parts.join(' ')
  const told = perps.tradesIn(coin, { fromMs: PERPS_FROM_MS, toMs })
  const stored = new Set(
    trades.rows.map(({ trade_id, price, size, action, traded_at }) =>
      textOf(trade_id, price, size, action, Date.parse(traded_at)),
    ),
  )
  const texts = told.map(({ tid, px, sz, side, time }) => ({
    time,
    text: textOf(tid, Number(px), Number(sz), side === 'B' ? 'buy' : 'sell', time),
  }))
  const missing = texts.filter(({ text }) => !stored.has(text))
  expect(stored.size + missing.length).toBe(told.length)
  expect(missing.length).toBeGreaterThan(0)
  expect(missing.filter(({ time }) => !isLost(time))).toEqual([])

  const contexts = funding.rows.map(({ funding_rate, premium }, index) => {
    const { oracle_price, mark_price, mid_price } = prices.rows[index] ?? {}
    return textOf(funding_rate, premium, interest.rows[index]?.open_interest, oracle_price, mark_price, mid_price)
  })
  const seconds = Array.from({ length: (toMs - PERPS_FROM_MS) / SECOND_MS }, (_, at) => PERPS_FROM_MS + at * SECOND_MS)
  const toldContexts = seconds
    .filter((atMs) => atMs <= awayFromMs || atMs > awayFromMs + AWAY_MS)
    .map((atMs) => {
      const { funding: rate, premium, openInterest, oraclePx, markPx, midPx } = assetContext(perps, coin, atMs)
      return textOf(...[rate, premium, openInterest, oraclePx, markPx, midPx].map(Number))
    })
  expect(contexts).toEqual(changes(toldContexts))
})

test('every trade and context is stored once in ClickHouse, however often the venue told it', async () => {
  await using client = openClickHouse(service.config)
  for (const [table, key] of [
    ['perp_trades', 'symbol, trade_id'],
    ['perp_contexts', 'symbol, received_at'],
  ]) {
    const answer = await client.query({
      query: `SELECT count() AS rows, uniqExact(${key}) AS keys, uniqExact(symbol) AS coins FROM ${table}`,
      format: 'JSONEachRow',
    })
    const [{ rows, keys, coins } = { rows: 0, keys: 1, coins: 0 }] = await answer.json<Record<string, string>>()
    expect([rows, Number(coins)], table).toEqual([keys, 4])
  }
})

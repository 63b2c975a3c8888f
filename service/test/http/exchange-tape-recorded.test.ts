import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClickHouse } from '../../src/wiring/engines.ts'
import { switchOn } from '../venues/open-simulator.ts'

let service: TestService
let key: string

beforeAll(async () => {
  service = await TestService.start({ record: true })
  key = await service.keyOf('scale')
}, 360_000)

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

interface ToldTrade {
  readonly tid: number
  readonly px: string
  readonly sz: string
  readonly side: 'A' | 'B'
  readonly time: number
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

async function truth<Item>(what: 'contexts' | 'trades', fromMs: number, toMs: number): Promise<Item[]> {
  const { admin } = service.simulator.addresses
  return (await fetch(`${admin}/perps/${what}?coin=BTC&from=${fromMs}&to=${toMs}`)).json() as Promise<Item[]>
}

/** Without the repeats of the one before, as they are stored. */
const changes = (list: readonly string[]): string[] => list.filter((each, index) => each !== list[index - 1])

async function newestMs(): Promise<number> {
  const { body } = await service.ask('/v1/exchange/funding?symbol=BTC&limit=1', { key })
  return Date.parse(body.funding[0]?.received_at ?? 0)
}

/** The time from the first to the last context, with a lost connection in it. */
async function recordWithLoss(): Promise<{ startMs: number; endMs: number }> {
  await expect.poll(newestMs).toBeGreaterThan(0)
  const startMs = await newestMs()
  await expect.poll(newestMs).toBeGreaterThan(startMs + 5_000)
  await switchOn(service.simulator, { name: 'disconnect', target: { feed: 'hyperliquid' } })
  const cutMs = service.simulator.world.nowMs
  await expect.poll(newestMs).toBeGreaterThan(cutMs + 8_000)
  return { startMs, endMs: await newestMs() }
}

test('trades, funding, open interest and prices equal what the venue told, and a lost connection is a gap', async () => {
  const { startMs, endMs } = await recordWithLoss()
  const range = `symbol=BTC&from=${startMs}&to=${endMs}`
  const [trades, funding, interest, prices] = await Promise.all([
    all(`trades?${range}`, 'trades'),
    all(`funding?${range}`, 'funding'),
    all(`open-interest?${range}`, 'open_interest'),
    all(`prices?${range}`, 'prices'),
  ])
  const { gaps } = trades
  expect(gaps.length).toBeGreaterThan(0)
  expect([funding.gaps, interest.gaps, prices.gaps]).toEqual([gaps, gaps, gaps])

  const isDoubtful = (atMs: number) => gaps.some(({ from, to }) => Date.parse(from) <= atMs && atMs < Date.parse(to))
  const told = await truth<ToldTrade>('trades', startMs, endMs)
  const storedIds = new Set(trades.rows.map(({ trade_id }) => trade_id))
  expect(told.filter(({ tid, time }) => !storedIds.has(tid) && !isDoubtful(time))).toEqual([])
  const textOf = (...parts: readonly unknown[]): string => parts.join(' ')
  const stored = trades.rows.map(({ trade_id, price, size, action, traded_at }) =>
    textOf(trade_id, price, size, action, Date.parse(traded_at)),
  )
  expect(stored.toSorted()).toEqual(
    told
      .filter(({ tid }) => storedIds.has(tid))
      .map(({ tid, px, sz, side, time }) => textOf(tid, Number(px), Number(sz), side === 'B' ? 'buy' : 'sell', time))
      .toSorted(),
  )

  const contexts = funding.rows.map(({ funding_rate, premium }, index) => {
    const { oracle_price, mark_price, mid_price } = prices.rows[index] ?? {}
    return textOf(funding_rate, premium, interest.rows[index]?.open_interest, oracle_price, mark_price, mid_price)
  })
  const around = await truth<{ ctx: Record<string, string> }>('contexts', startMs - 3_000, endMs + 3_000)
  const expected = changes(
    around.map(({ ctx }) => {
      const { funding: rate, premium, openInterest, oraclePx, markPx, midPx } = ctx
      return textOf(...[rate, premium, openInterest, oraclePx, markPx, midPx].map(Number))
    }),
  )
  const first = expected.indexOf(contexts[0] ?? '')
  const toldContexts = expected.slice(first, expected.indexOf(contexts.at(-1) ?? '') + 1)
  expect(first).toBeGreaterThanOrEqual(0)
  expect(toldContexts.filter((each) => contexts.includes(each))).toEqual(contexts)
  const gapMs = gaps.reduce((sum, { from, to }) => sum + Date.parse(to) - Date.parse(from), 0)
  expect(toldContexts.length - contexts.length).toBeLessThanOrEqual(Math.ceil(gapMs / 1_000))
}, 300_000)

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
    expect([rows, Number(coins)], table).toEqual([keys, 8])
  }
})

import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { perpMarketId } from '../../src/domain/rows/perp-snapshot.ts'
import { archiveGaps, archivePerps } from './snapshots-scene.ts'
import { archiveContexts, archivePerpTrades, contextRow, perpTradeRow, tapeBookRow } from './tape-scene.ts'

let service: TestService
let key: string

const NOW = WORLD_NOW_MS
const VENUE = 'hyperliquid'
const HOUR_MS = 3_600_000
/** One trade and one context a second, for twenty minutes, from thirty hours ago. */
const FIRST_MS = Math.floor(NOW / 1_000 - 30 * 3_600) * 1_000
const COUNT = 1_200
const LOST = { fromMs: FIRST_MS + 600_000, toMs: FIRST_MS + 610_000 }
const AT = Array.from({ length: COUNT }, (_, second) => FIRST_MS + second * 1_000)
const PATHS = ['trades', 'funding', 'open-interest', 'prices'] as const
const MEMBERS = { trades: 'trades', funding: 'funding', 'open-interest': 'open_interest', prices: 'prices' } as const

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('scale')
  await archivePerps(service, [tapeBookRow('DOGE', FIRST_MS), tapeBookRow('XRP', FIRST_MS)])
  const stored = AT.filter((atMs) => atMs < LOST.fromMs || atMs >= LOST.toMs)
  // Twice, as after a crash of the archive.
  for (const rows of [stored, stored.slice(5, 50)]) {
    await archivePerpTrades(
      service,
      rows.map((atMs) => perpTradeRow('DOGE', atMs)),
    )
    await archiveContexts(
      service,
      rows.map((atMs) => contextRow('DOGE', atMs)),
    )
  }
  const recent = [NOW - 90_000, NOW - 30_000]
  await archivePerpTrades(
    service,
    recent.map((atMs) => perpTradeRow('DOGE', atMs)),
  )
  await archiveContexts(
    service,
    recent.map((atMs) => contextRow('DOGE', atMs)),
  )
  await archiveGaps(service, [
    {
      marketId: perpMarketId(VENUE, 'DOGE'),
      fromSlot: LOST.fromMs / 500,
      toSlot: LOST.toMs / 500 - 1,
      knownAtSlot: LOST.fromMs / 500 + 4,
      cause: 'disconnected',
      kind: 'trades',
      intervalMs: 500,
      detail: '',
    },
  ])
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (path: string, asking = { key }) => service.ask(`/v1/exchange/${path}`, asking)

/** What may be missing, and how much of the time. */
const DOUBT = {
  from: new Date(LOST.fromMs).toISOString(),
  to: new Date(LOST.toMs).toISOString(),
  cause: 'disconnected',
  known_at: new Date(LOST.fromMs + 2_000).toISOString(),
}

describe.each(PATHS)('GET /v1/exchange/%s', (path) => {
  const member = MEMBERS[path]
  const time = path === 'trades' ? 'traded_at' : 'received_at'
  const timesOf = (body: Record<string, Record<string, string>[]>): number[] =>
    (body[member] ?? []).map((row) => Date.parse(row[time] ?? ''))

  test.each(['asc', 'desc'])('%s pages return every row once, and tell what may be missing', async (order) => {
    const seen: number[] = []
    const gaps: unknown[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { body, status, text } = await ask(
        `${path}?symbol=doge&exchange=hyperliquid&from=${FIRST_MS + 1}&to=${FIRST_MS + 900_000}&order=${order}&limit=300${cursor}`,
      )
      expect(status, text).toBe(200)
      seen.push(...timesOf(body))
      gaps.push(...body.gaps)
      cursor = body.next_cursor === null ? undefined : `&cursor=${body.next_cursor}`
    }
    const all = AT.slice(1, 900).filter((atMs) => atMs < LOST.fromMs || atMs >= LOST.toMs)
    expect(seen).toEqual(order === 'asc' ? all : all.toReversed())
    expect(gaps).toEqual([DOUBT])
  })

  test('names the share of the time that is certain', async () => {
    const { body } = await ask(`${path}?symbol=DOGE&from=${LOST.fromMs - 10_000}&to=${LOST.toMs}`)
    expect(body.coverage).toMatchObject({ uncertain_ms: 10_000, share: 0.5 })
    const { body: empty, headers } = await ask(`${path}?symbol=DOGE&from=${LOST.fromMs}&to=${LOST.toMs}`)
    expect([empty[member], empty.empty_reason, headers['x-empty-reason']]).toEqual([[], 'gap', 'gap'])
  })

  test('says why it is empty', async () => {
    const reasonOf = async (query: string) => (await ask(`${path}?${query}`)).body.empty_reason
    const quiet = `from=${FIRST_MS + COUNT * 1_000}&to=${FIRST_MS + 2 * COUNT * 1_000}`
    expect(await reasonOf(`symbol=DOGE&${quiet}`)).toBe(path === 'trades' ? 'no_trades' : 'no_match')
    expect(await reasonOf(`symbol=DOGE&to=${FIRST_MS - 1_000}`)).toBe('outside_capture')
    expect(await reasonOf('symbol=ZEC')).toBe('not_recorded_yet')
  })

  test('free reads 24 hours back, as elsewhere', async () => {
    const free = await service.keyOf('free')
    const { body, status } = await ask(`${path}?symbol=DOGE`, { key: free })
    expect([status, timesOf(body)]).toEqual([200, [NOW - 90_000]])
    expect(Math.abs(Date.parse(body.history_from) - (NOW - 24 * HOUR_MS))).toBeLessThan(60_000)
    expect((await ask(`${path}?symbol=DOGE&from=${FIRST_MS}`, { key: free })).status).toBe(403)
  })
})

test('a page lists the first 1,000 times in which rows may be missing, counts the others, and sums all', async () => {
  await archivePerps(service, [tapeBookRow('SOL', FIRST_MS)])
  await archivePerpTrades(service, [perpTradeRow('SOL', FIRST_MS)])
  await archiveContexts(service, [contextRow('SOL', FIRST_MS)])
  const slots = Array.from({ length: 1_003 }, (_, index) => FIRST_MS / 500 + 2 * index)
  const gap = { marketId: perpMarketId(VENUE, 'SOL'), intervalMs: 500, detail: '', kind: 'trades' } as const
  await archiveGaps(
    service,
    slots.map((slot) => ({ ...gap, fromSlot: slot, toSlot: slot, knownAtSlot: slot, cause: 'disconnected' })),
  )
  for (const path of PATHS) {
    const { body } = await ask(`${path}?symbol=SOL&from=${FIRST_MS}&to=${FIRST_MS + HOUR_MS}`)
    expect([body.gaps.length, body.gaps_left_out, body.coverage.uncertain_ms]).toEqual([1_000, 3, 1_003 * 500])
    const { body: shorter } = await ask(`${path}?symbol=SOL&from=${FIRST_MS}&to=${FIRST_MS + 1_000_000}`)
    expect([shorter.gaps.length, shorter.gaps_left_out]).toEqual([1_000, undefined])
  }
})

test('rows have the stored values', async () => {
  const row = async (path: (typeof PATHS)[number]) => {
    const { body } = await ask(`${path}?symbol=DOGE&from=${FIRST_MS}&limit=1`)
    return body[MEMBERS[path]][0]
  }
  const at = new Date(FIRST_MS).toISOString()
  const head = { exchange: 'hyperliquid_perp', symbol: 'DOGE' }
  expect(await row('trades')).toEqual({
    ...head,
    trade_id: FIRST_MS,
    action: 'sell',
    price: 0.21005,
    size: 150.5,
    traded_at: at,
    received_at: new Date(FIRST_MS + 40).toISOString(),
    transaction_hash: null,
  })
  expect(await row('funding')).toEqual({
    ...head,
    received_at: at,
    funding_rate: -0.0000052974,
    premium: -0.0005540084,
  })
  expect(await row('open-interest')).toEqual({
    ...head,
    received_at: at,
    open_interest: 36295.80812,
    open_interest_usd: 36295.80812 * 0.21,
    day_volume: 56265.69068,
    day_notional_usd: 4490636699.3287735,
  })
  expect(await row('prices')).toEqual({
    ...head,
    received_at: at,
    mark_price: 0.21,
    oracle_price: 0.2101,
    oracle_source: 'hyperliquid_validators',
    mid_price: 0.20995,
    impact_bid: 0.2099,
    impact_ask: 0.21,
    previous_day_price: 0.2,
  })
})

test('what is computed from a book is null for a coin without a book', async () => {
  await archiveContexts(service, [contextRow('XRP', FIRST_MS + 1_000, { book: undefined })])
  const rowOf = async (path: string) => (await ask(`${path}?symbol=XRP&from=${FIRST_MS}&limit=1`)).body
  expect((await rowOf('funding')).funding[0].premium).toBeNull()
  const { mid_price, impact_bid, impact_ask } = (await rowOf('prices')).prices[0]
  expect([mid_price, impact_bid, impact_ask]).toEqual([null, null, null])
})

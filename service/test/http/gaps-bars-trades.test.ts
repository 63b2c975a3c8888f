import {
  asWriter,
  FIRST_SLOT,
  HOUR_MS,
  INTERVAL_MS,
  PAST_HOUR_MS,
  PastMarket,
} from '@bookreel/testbed/service/past-market'
import { archive, list, madeMarket, madeRow } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { readParquet } from './read-parquet.ts'

const MINUTE_MS = 60_000

let service: TestService
let past: PastMarket
let path: string

/** 40 s: rows, then 20 missing slots, rows, 4 slots recorded as missing that have rows, 2 rows in doubt. */
const LAST = 159

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  past = await PastMarket.save(service, 'gaps')
  path = `/v1/markets/${past.market.id}`
  // Duplicate rows stay.
  await asWriter(service, (client) => client.command({ query: 'SYSTEM STOP MERGES snapshots' }))
  await past.putRows([...past.rows(0, 59), ...past.rows(80, LAST)])
  await past.putRows(past.rows(80, 90))
  await past.putGaps([
    past.gap(60, 79, { detail: 'socket closed', knownAtSlot: FIRST_SLOT + 61 }),
    past.gap(100, 103, { cause: 'late_slot' }),
    past.gap(110, 111, { cause: 'hash_mismatch', kind: 'suspect' }),
  ])
})

afterAll(() => service?.[Symbol.asyncDispose]())

describe('gaps', () => {
  test('every slot is stored or reported missing, and a gap that a row contradicts is left out', async () => {
    const { status, body } = await service.ask(`${path}/gaps`, { key: await service.keyOf('pro') })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      market_id: past.market.id,
      capture_interval_ms: INTERVAL_MS,
      from: instantOf(PAST_HOUR_MS),
      to: instantOf(PAST_HOUR_MS + (LAST + 1) * INTERVAL_MS),
      coverage: { expected_slots: 160, stored_slots: 140, missing_slots: 20, share: 0.875 },
      unaccounted_slots: 0,
      gap_count: 2,
    })
    expect(body.gaps).toEqual([
      {
        first_slot: FIRST_SLOT + 60,
        last_slot: FIRST_SLOT + 79,
        from: instantOf(PAST_HOUR_MS + 15_000),
        to: instantOf(PAST_HOUR_MS + 20_000),
        slots: 20,
        known_at: instantOf(PAST_HOUR_MS + 15_250),
        cause: 'disconnected',
        kind: 'missing',
        detail: 'socket closed',
      },
      expect.objectContaining({ cause: 'hash_mismatch', kind: 'suspect', slots: 2 }),
    ])
  })

  test('a range counts only its own slots, and gaps are cut to the range', async () => {
    const [from, to] = [PAST_HOUR_MS + 12_500, PAST_HOUR_MS + 17_500]
    const { body } = await service.ask(`${path}/gaps?from=${from}&to=${to}`, { key: await service.keyOf('pro') })
    expect(body).toMatchObject({ coverage: { expected_slots: 20, stored_slots: 10, share: 0.5 } })
    expect(body.gaps).toMatchObject([{ first_slot: FIRST_SLOT + 60, last_slot: FIRST_SLOT + 69, to: instantOf(to) }])
  })

  test('outside of the recorded range no slots are expected, and the response says so', async () => {
    const from = PAST_HOUR_MS + HOUR_MS
    const key = await service.keyOf('pro')
    const { status, body, headers } = await service.ask(`${path}/gaps?from=${from}&to=${from + HOUR_MS}`, { key })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      coverage: { expected_slots: 0, share: null },
      recorded_share: 0,
      unrecorded: [{ from: instantOf(from), reason: 'after_recording' }],
      empty_reason: 'outside_capture',
    })
    expect(headers['x-empty-reason']).toBe('outside_capture')
    expect((await service.ask(`${path}/gaps?from=${from}&to=${from}`, { key })).status).toBe(400)
  })

  test('a window recorded in part is not complete: the answer has the recorded share and what lies outside', async () => {
    const key = await service.keyOf('pro')
    const whole = await service.ask(`${path}/gaps`, { key })
    expect(whole.body).toMatchObject({
      recorded_from: instantOf(PAST_HOUR_MS),
      recorded_to: instantOf(PAST_HOUR_MS + 40_000),
      requested_from: instantOf(PAST_HOUR_MS),
      requested_to: instantOf(PAST_HOUR_MS + HOUR_MS),
      recorded_share: Math.floor((160 / 14_400) * 1e6) / 1e6,
      unrecorded: [
        {
          from: instantOf(PAST_HOUR_MS + 40_000),
          to: instantOf(PAST_HOUR_MS + HOUR_MS),
          slots: 14_240,
          reason: 'after_recording',
        },
      ],
    })
    const around = `from=${PAST_HOUR_MS - 60_000}&to=${PAST_HOUR_MS + 20_000}`
    expect((await service.ask(`${path}/gaps?${around}`, { key })).body).toMatchObject({
      requested_from: instantOf(PAST_HOUR_MS - 60_000),
      recorded_share: 0.25,
      unrecorded: [{ to: instantOf(PAST_HOUR_MS), slots: 240, reason: 'before_recording' }],
      coverage: { expected_slots: 80 },
    })
    const inside = `from=${PAST_HOUR_MS + 1_100}&to=${PAST_HOUR_MS + 39_900}`
    expect((await service.ask(`${path}/gaps?${inside}`, { key })).body).toMatchObject({
      recorded_share: 1,
      unrecorded: [],
    })
  })
})

describe('bars', () => {
  test('a bar over a gap has fewer snapshots than expected, and one inside it has no prices', async () => {
    const { status, body } = await service.ask(`${path}/bars?interval=5s&from=${PAST_HOUR_MS}`, {
      key: await service.keyOf('pro'),
    })
    expect(status).toBe(200)
    const counts = body.bars.map((bar: { snapshot_count: number; expected_count: number }) => [
      bar.snapshot_count,
      bar.expected_count,
    ])
    expect(counts).toEqual([
      [20, 20],
      [20, 20],
      [20, 20],
      [0, 20],
      [20, 20],
      [20, 20],
      [20, 20],
      [20, 20],
    ])
    expect(body.bars[3]).toMatchObject({
      start: instantOf(PAST_HOUR_MS + 15_000),
      open: null,
      close: null,
      avg_spread: null,
    })
    expect(body.next_cursor).toBeNull()
  })

  test('values are computed from the books, each slot counted once', async () => {
    const url = `${path}/bars?interval=1s&from=${PAST_HOUR_MS + 20_000}&limit=1`
    const { body } = await service.ask(url, { key: await service.keyOf('pro') })
    // Slots 80 to 83: bids at 0.480 to 0.483, asks 0.02 above.
    expect(body.bars).toEqual([
      {
        start: instantOf(PAST_HOUR_MS + 20_000),
        open: 0.49,
        high: 0.493,
        low: 0.49,
        close: 0.493,
        last_spread: 0.02,
        avg_spread: 0.02,
        avg_depth5_bid: 30.0000815,
        avg_depth5_ask: 12.5,
        avg_bid_depth: 30.0000815,
        avg_ask_depth: 12.5,
        spot_open: 60_080,
        spot_high: 60_083,
        spot_low: 60_080,
        spot_close: 60_083,
        snapshot_count: 4,
        expected_count: 4,
      },
    ])
  })

  test('without a start the newest bars are returned, oldest first', async () => {
    const { body } = await service.ask(`${path}/bars?interval=5s&limit=2`, { key: await service.keyOf('pro') })
    const starts = body.bars.map(({ start }: { start: string }) => start)
    expect(starts).toEqual([instantOf(PAST_HOUR_MS + 30_000), instantOf(PAST_HOUR_MS + 35_000)])
  })

  test('Parquet has the same bars as JSON, and an empty file has a reason', async () => {
    const key = await service.keyOf('scale')
    const asked = `${path}/bars?interval=5s&from=${PAST_HOUR_MS}`
    const json = await service.ask(asked, { key })
    const file = await service.server.inject({ url: `${asked}&format=parquet`, headers: { 'x-api-key': key } })
    const rows = await readParquet(file.rawPayload)
    expect(rows.map(({ start, ...figures }) => ({ start: instantOf(Number(start)), ...figures }))).toEqual(
      json.body.bars,
    )
    const url = `${path}/bars?from=${PAST_HOUR_MS + HOUR_MS}&to=${PAST_HOUR_MS + HOUR_MS + 1}&format=parquet`
    const empty = await service.server.inject({ url, headers: { 'x-api-key': key } })
    expect(empty.headers['x-empty-reason']).toBe('outside_capture')
    expect(await readParquet(empty.rawPayload)).toEqual([])
  })
})

describe('trades', () => {
  const trade = (offset: number, size: number) => ({
    marketId: past.market.id,
    outcome: (offset % 2 === 0 ? 0 : 1) as 0 | 1,
    side: (offset % 3 === 0 ? 'BUY' : 'SELL') as 'BUY' | 'SELL',
    price: 4_200,
    size,
    tradedAtMs: PAST_HOUR_MS + Math.floor(offset / 2) * 1_000,
    receivedAtMs: PAST_HOUR_MS + Math.floor(offset / 2) * 1_000 + 40,
    transactionHash: `0x${(offset % 5 === 0 ? '' : 'ab').padStart(64, '0')}`,
    occurrence: 0,
  })

  test('each trade is returned once, in pages that neither repeat nor skip one, in both orders', async () => {
    const trades = Array.from({ length: 25 }, (_, offset) => trade(offset, 1_000_000 + offset))
    await past.putTrades(trades)
    await past.putTrades(trades.slice(3, 9))
    const key = await service.keyOf('pro')
    const pages = async (order: string): Promise<number[]> => {
      const sizes: number[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const more: string = cursor === '' ? '' : `&cursor=${cursor}`
        const url = `/v1/trades?marketId=${past.market.id}&limit=4&order=${order}${more}`
        const { body } = await service.ask(url, { key })
        sizes.push(...body.trades.map(({ size }: { size: number }) => size))
        cursor = body.next_cursor
      }
      return sizes
    }
    const rising = await pages('asc')
    expect(rising.toSorted((one, other) => one - other)).toEqual(trades.map(({ size }) => size / 1_000_000))
    expect(await pages('desc')).toEqual(rising.toReversed())
  })

  test('a trade has what the venue reported, with its token', async () => {
    const url = `/v1/trades?marketId=${past.market.id}&from=${PAST_HOUR_MS + 1_000}&limit=2`
    const { body } = await service.ask(url, { key: await service.keyOf('pro') })
    expect(body.trades).toContainEqual({
      market_id: past.market.id,
      token_id: past.market.tokenIds[1],
      side: 'DOWN',
      action: 'buy',
      price: 0.42,
      size: 1.000003,
      traded_at: instantOf(PAST_HOUR_MS + 1_000),
      received_at: instantOf(PAST_HOUR_MS + 1_040),
      transaction_hash: `0x${'ab'.padStart(64, '0')}`,
      occurrence: 0,
    })
  })

  test('equal fills of one frame are all returned, and a repeated delivery of the frame adds none', async () => {
    const second = {
      ...trade(2, 7_000_000),
      tradedAtMs: PAST_HOUR_MS + 500_000,
      receivedAtMs: PAST_HOUR_MS + 500_040,
    }
    const frame = [second, { ...second, occurrence: 1 }]
    await past.putTrades(frame)
    await past.putTrades(frame.map((each) => ({ ...each, receivedAtMs: each.receivedAtMs + 120 })))
    const key = await service.keyOf('pro')
    const url = `/v1/trades?marketId=${past.market.id}&from=${second.tradedAtMs}&limit=1`
    const { body } = await service.ask(url, { key })
    const next = await service.ask(`${url}&cursor=${body.next_cursor}`, { key })
    const found = [...body.trades, ...next.body.trades].map(({ size, occurrence }) => [size, occurrence])
    expect([found, next.body.next_cursor]).toEqual([
      [
        [7, 0],
        [7, 1],
      ],
      null,
    ])
  })

  test('a page lists the first 1,000 times in which trades may be missing, and counts the others', async () => {
    const sparse = await PastMarket.save(service, 'many gaps')
    await sparse.putRows([sparse.row(0), sparse.row(5_000)])
    const slots = Array.from({ length: 1_003 }, (_, index) => 4 * index)
    await sparse.putGaps(
      slots.map((slot) => ({ ...sparse.gap(slot, slot), kind: 'trades', cause: 'bus_unavailable' }) as const),
    )
    const key = await service.keyOf('scale')
    const url = `/v1/trades?marketId=${sparse.market.id}&from=${PAST_HOUR_MS}`
    const { body, headers } = await service.ask(url, { key })
    expect([body.gaps.length, body.gaps_left_out, body.coverage.uncertain_ms]).toEqual([1_000, 3, 1_003 * INTERVAL_MS])
    expect(headers['x-empty-reason']).toBe('no_trades')
    const { headers: flat } = await service.ask(`${url}&format=csv`, { key })
    expect(flat['x-gaps-left-out']).toBe('3')
  })

  test('an answer says when trades may be missing, also where every slot has its row', async () => {
    const slot = past.gap(3_000, 3_003)
    await past.putGaps([
      { ...slot, kind: 'trades', detail: 'the trades could not be published', cause: 'bus_unavailable' },
    ])
    const key = await service.keyOf('pro')
    const fromMs = slot.fromSlot * slot.intervalMs
    const url = `/v1/trades?marketId=${past.market.id}&from=${fromMs - 500}&to=${fromMs + 1_500}`
    const { body } = await service.ask(url, { key })
    const gap = {
      from: instantOf(fromMs),
      to: instantOf(fromMs + 1_000),
      cause: 'bus_unavailable',
      known_at: instantOf(fromMs),
    }
    expect(body.gaps).toEqual([gap])
    expect(body.coverage).toEqual({
      from: instantOf(fromMs - 500),
      to: instantOf(fromMs + 1_500),
      uncertain_ms: 1_000,
      share: 0.5,
    })
    const { body: inside } = await service.ask(
      `/v1/trades?marketId=${past.market.id}&from=${fromMs}&to=${fromMs + 900}`,
      { key },
    )
    expect([inside.empty_reason, inside.coverage.share]).toEqual(['gap', 0])
    const rows = await service.ask(`${path}/gaps`, { key })
    expect(rows.body.gaps.map(({ kind }: { kind: string }) => kind)).not.toContain('trades')
  })
})

test.each([100, 250, 500, 3_000])('a market with %i ms has its own slots for every reader', async (intervalMs) => {
  const key = await service.keyOf('enterprise')
  const read = async (url: string) => {
    const { status, body, text } = await service.ask(url, { key })
    expect(status, text).toBe(200)
    return body
  }
  const times = { startsAtMs: PAST_HOUR_MS, endsAtMs: PAST_HOUR_MS + MINUTE_MS }
  const market = madeMarket(`every ${intervalMs}`, { captureIntervalMs: intervalMs, ...times })
  await list(service, [market])
  const slots = Array.from({ length: MINUTE_MS / intervalMs }, (_, index) => PAST_HOUR_MS / intervalMs + index)
  await archive(
    service,
    slots.map((slot) => madeRow(market, { atMs: slot * intervalMs })),
  )
  const range = `from=${instantOf(PAST_HOUR_MS)}&to=${instantOf(PAST_HOUR_MS + MINUTE_MS)}`

  const { snapshots } = await read(`/v1/markets/${market.id}/snapshots?${range}&side=UP&limit=20`)
  for (const { sequence_number: slot, capture_timestamp: at } of snapshots)
    expect(Date.parse(at)).toBe(slot * intervalMs + 2)
  const coverage = { expected_slots: slots.length, missing_slots: 0 }
  expect(await read(`/v1/markets/${market.id}/gaps?${range}`)).toMatchObject({
    capture_interval_ms: intervalMs,
    unaccounted_slots: 0,
    coverage,
  })
  expect((await read(`/v1/markets/${market.id}/summary`)).coverage).toMatchObject(coverage)
  const { bars } = await read(`/v1/markets/${market.id}/bars?interval=1m&${range}`)
  expect(bars.map((bar: { expected_count: number }) => bar.expected_count)).toEqual([slots.length])
  const report = await read(`/v1/markets/${market.id}/export?hour=${instantOf(PAST_HOUR_MS)}&dry_run=true`)
  expect(report).toMatchObject({ rows: 2 * slots.length, coverage: { ...coverage, share: 1 }, gaps: [] })
})

import { FIRST_SLOT, INTERVAL_MS, PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SNAPSHOT_FLAGS } from '../../src/domain/rows/snapshot.ts'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'

let service: TestService
let past: PastMarket

const at = (offset: number, moreMs = 0): number => PAST_HOUR_MS + offset * INTERVAL_MS + moreMs

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
  past = await PastMarket.save(service, 'asof')
  await past.putRows([...past.rows(0, 9), past.row(20, { capturedAtMs: at(20, 150) }), ...past.rows(21, 39)])
  await past.putGaps([
    past.gap(10, 19, { cause: 'venue_silent' }),
    past.gap(30, 31, { cause: 'hash_mismatch', kind: 'suspect' }),
  ])
})

afterAll(() => service?.[Symbol.asyncDispose]())

async function asOf(atMs: number, markets = past.market.id, more = '', tier: 'pro' | 'scale' = 'pro') {
  const url = `/v1/asof?timestamp=${atMs}&markets=${markets}${more}`
  return service.ask(url, { key: await service.keyOf(tier) })
}

describe('books as of a time', () => {
  test('never include a sample that was taken later, not even by a millisecond', async () => {
    const before = await asOf(at(5, 4))
    expect(before.body.markets[0]).toMatchObject({
      status: 'ok',
      age_ms: 249,
      up: { sequence_number: FIRST_SLOT + 4 },
    })
    const exactly = await asOf(at(5, 5))
    expect(exactly.body.markets[0]).toMatchObject({ age_ms: 0, up: { sequence_number: FIRST_SLOT + 5 } })
  })

  test('within a gap are the gap and its cause, not the last book before it', async () => {
    for (const moment of [at(10), at(15, 100), at(19, 249)]) {
      const [entry] = (await asOf(moment)).body.markets
      expect(entry).toMatchObject({ status: 'gap', cause: 'venue_silent', up: null, down: null })
      expect(entry.gap).toMatchObject({ first_slot: FIRST_SLOT + 10, last_slot: FIRST_SLOT + 19 })
    }
    // The first sample after the gap was taken late, so the gap lasts until then.
    expect((await asOf(at(20, 149))).body.markets[0]).toMatchObject({ status: 'gap', cause: 'venue_silent' })
    expect((await asOf(at(20, 150))).body.markets[0]).toMatchObject({ status: 'ok' })
  })

  test('outside of the recorded range and of unknown markets are errors, each for its own market', async () => {
    const unknown = `0x${'0'.repeat(64)}`
    const { status, body } = await asOf(at(-4_000), `${past.market.id},${unknown},no-such-slug`)
    expect(status).toBe(200)
    expect(body.markets.map((each: { status: string }) => each.status)).toEqual([
      'outside_capture',
      'unknown',
      'unknown',
    ])
    expect((await asOf(at(60))).body.markets[0].status).toBe('outside_capture')
  })

  test('include both books, the spot price and its age at that time, also by exact slug', async () => {
    const { body } = await asOf(at(7, 105), past.market.slug)
    const [entry] = body.markets
    expect(entry).toMatchObject({ requested: past.market.slug, market_id: past.market.id, age_ms: 100 })
    expect(entry).toMatchObject({ spot_crypto_usd: 60_007, spot_crypto_age_ms: 140 })
    expect(entry.up).toMatchObject({ side: 'UP', best_bid: 0.407, best_ask: 0.427, flags: ['verified', 'mirrored'] })
    expect(entry.down).toMatchObject({ side: 'DOWN', flags: ['unverified', 'mirrored'], proof: 'hash' })
    expect(entry.down).toMatchObject({ side: 'DOWN', best_bid: 0.573, best_ask: 0.593 })
    expect(entry.up.bids[0]).toEqual([0.407, 10.000007])
    const short = await asOf(at(7, 105), past.market.id, '&includebook=false')
    expect(short.body.markets[0].up).not.toHaveProperty('bids')
  })

  test('of a series are of its window at that time, and of no other window', async () => {
    const { coin, timeframe } = { coin: past.market.subcategory.toLowerCase(), timeframe: past.market.timeframe }
    const series = `${coin}-updown-${timeframe}`
    const seconds = Math.floor(at(7) / 1_000)
    const { body } = await asOf(at(7, 5), `${series},${series}-${seconds},${past.market.slug}`)
    expect(body.markets.map((each: { matched_by: string }) => each.matched_by)).toEqual([
      'window_at_time',
      'window_at_time',
      'exact',
    ])
    for (const entry of body.markets) expect(entry).toMatchObject({ market_id: past.market.id, status: 'ok' })
    const [before] = (await asOf(PAST_HOUR_MS - 1, series)).body.markets
    expect(before).toMatchObject({ requested: series, status: 'unknown', market_id: null, matched_by: null })
  })

  test('are flagged when the rows are in doubt', async () => {
    expect((await asOf(at(30, 5))).body.markets[0].up.flags).toContain('suspect')
    expect((await asOf(at(32, 5))).body.markets[0].up.flags).not.toContain('suspect')
  })

  test('of a live market include the perp of its coin, and nothing from after that time', async () => {
    const { live5m: market } = service.world
    const atMs = WORLD_NOW_MS - 1_500
    const [entry] = (await asOf(atMs, market.id, '', 'scale')).body.markets
    expect(entry.status).toBe('ok')
    expect(Date.parse(entry.up.capture_timestamp)).toBe(atMs)
    expect(entry.perp).toMatchObject({ exchange: 'hyperliquid_perp', symbol: market.subcategory })
    expect(Date.parse(entry.perp.capture_timestamp)).toBeLessThanOrEqual(atMs)
    expect(entry.perp.age_ms).toBe(0)
    expect(entry.perp.best_bid).toBeLessThan(entry.perp.best_ask)
    // The same moment without the tier that has the live exchange book.
    const { body } = await asOf(atMs, market.id)
    expect(body.markets[0]).toMatchObject({ market_id: market.id, perp: null })
    expect(Date.parse(body.restricted_from)).toBeLessThanOrEqual(atMs)
    expect(WORLD_NOW_MS - Date.parse(body.restricted_from)).toBeLessThan(120_000)
  })
})

describe('the execution price of an order', () => {
  const execution = async (query: string, tier: 'free' | 'pro' = 'pro') =>
    service.ask(`/v1/markets/${past.market.id}/execution?${query}`, { key: await service.keyOf(tier) })

  test('a buy order takes the asks of that time', async () => {
    // Asks at slot 7: 5 at 0.427, 7.5 at 0.437.
    const { status, body } = await execution(`side=UP&action=buy&size=10&timestamp=${at(7, 5)}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      market_id: past.market.id,
      token_id: past.market.tokenIds[0],
      side: 'UP',
      action: 'buy',
      size: 10,
      notional: null,
      vwap: 0.432,
      best_price: 0.427,
      worst_price: 0.437,
      mid: 0.417,
      slippage: 0.005,
      slippage_bps: 117.096019,
      slippage_mid: 0.015,
      slippage_mid_bps: 359.71223,
      levels_used: 2,
      filled_size: 10,
      filled_notional: 4.32,
      unfilled: 0,
      fill_share: 1,
      complete: true,
      sequence_number: FIRST_SLOT + 7,
      capture_timestamp: instantOf(at(7, 5)),
      event_timestamp: instantOf(at(7, -100)),
      age_ms: 0,
      flags: ['verified', 'mirrored'],
      proof: 'hash',
      venue: 'polymarket',
    })
  })

  test('selling one token equals buying the other, mirrored', async () => {
    const sold = await execution(`side=DOWN&action=sell&size=10&timestamp=${at(7, 5)}`)
    expect(sold.body).toMatchObject({ vwap: 0.568, best_price: 0.573, worst_price: 0.563, slippage: 0.005 })
  })

  test('what exceeds the book stays unfilled', async () => {
    const { body } = await execution(`side=UP&action=buy&size=25&timestamp=${at(7, 5)}`)
    expect(body).toMatchObject({ filled_size: 12.5, unfilled: 12.5, fill_share: 0.5, complete: false })
  })

  test('a notional amount buys as much as it can', async () => {
    const { body } = await execution(`side=UP&action=buy&notional=4.32&timestamp=${at(7, 5)}`)
    expect(body).toMatchObject({
      notional: 4.32,
      size: null,
      filled_size: 10,
      vwap: 0.432,
      unfilled: 0,
      complete: true,
    })
  })

  test('an empty side fills nothing and has nulls', async () => {
    const up = { bids: [{ price: 4_000, size: 1_000_000 }], asks: [] }
    const flags = SNAPSHOT_FLAGS.mirrored | SNAPSHOT_FLAGS.oneSided
    await past.putRows([past.row(40, { up, flags })])
    const { body } = await execution(`side=UP&action=buy&size=1&timestamp=${at(40, 5)}`)
    expect(body).toMatchObject({
      vwap: null,
      best_price: null,
      slippage: null,
      fill_share: 0,
      complete: false,
      mid: 0.7,
    })
  })

  test('without a book at that time is an error with its reason; an ended market has no live book', async () => {
    const gap = await execution(`side=UP&action=buy&size=1&timestamp=${at(12)}`)
    expect(gap.status).toBe(404)
    expect(gap.body).toMatchObject({
      error: 'no_data_at_time',
      details: { reason: 'gap', gap: { cause: 'venue_silent' } },
    })
    const live = await execution('side=UP&action=buy&size=1')
    expect(live.body).toMatchObject({ status: 404, error: 'market_closed', details: { status: 'settling' } })
  })
})

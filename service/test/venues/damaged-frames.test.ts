import { random } from '@bookreel/simulator/world/random'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Ladders } from '../../src/domain/book.ts'
import { SNAPSHOT_FLAGS } from '../../src/domain/rows/snapshot.ts'
import { decodeSpotFrame } from '../../src/venues/binance/decode.ts'
import { decodePerpFrame } from '../../src/venues/hyperliquid/decode.ts'
import { decodeBooks, decodeFrame } from '../../src/venues/polymarket/decode.ts'
import { decodePriceFrame } from '../../src/venues/rtds/decode.ts'
import { WorldRecorder } from '../capture/world-recorder.ts'

const HASH = `0x${'ab'.repeat(32)}`
const LEVEL = { px: '100.5', sz: '2', n: 1 }
const CHANGE = { asset_id: '7', price: '0.5', size: '1', side: 'BUY', hash: HASH.slice(2, 42), best_bid: '0' }
/** One valid frame of each kind; Kalshi has a test of its own. */
const FRAMES: Record<string, readonly [decode: (text: string) => { problems: readonly unknown[] }, object]> = {
  'polymarket book': [decodeFrame, { market: HASH, asset_id: '7', timestamp: '1790000000000', bids: [], asks: [] }],
  'polymarket change': [decodeFrame, { market: HASH, timestamp: '1790000000000', price_changes: [CHANGE] }],
  'polymarket REST book': [decodeBooks, { market: HASH, asset_id: '7', timestamp: '1790000000000', bids: [] }],
  'hyperliquid book': [
    (text) => decodePerpFrame(text, 'deep'),
    { channel: 'l2Book', data: { coin: 'BTC', time: 1_790_000_000_000, levels: [[LEVEL], [LEVEL]] } },
  ],
  'hyperliquid touch': [
    (text) => decodePerpFrame(text, 'quick'),
    { channel: 'bbo', data: { coin: 'BTC', time: 1_790_000_000_000, bbo: [LEVEL, null] } },
  ],
  'hyperliquid trade': [
    (text) => decodePerpFrame(text, 'quick'),
    {
      channel: 'trades',
      data: [{ coin: 'BTC', side: 'A', px: '1', sz: '1', time: 1_790_000_000_000, hash: HASH, tid: 1 }],
    },
  ],
  'hyperliquid context': [
    (text) => decodePerpFrame(text, 'quick'),
    { channel: 'activeAssetCtx', data: { coin: 'BTC', ctx: { funding: '0.1', impactPxs: ['1', '2'] } } },
  ],
  'hyperliquid error': [(text) => decodePerpFrame(text, 'quick'), { channel: 'error', data: 'no' }],
  'binance ticker': [decodeSpotFrame, { stream: 's', data: { s: 'BTCUSDT', b: '1', a: '2' } }],
  'rtds price': [
    decodePriceFrame,
    { topic: 'crypto_prices_chainlink', type: 'update', payload: { symbol: 'btc/usd', timestamp: 1, value: 2 } },
  ],
}
const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    { toString: 5, valueOf: 5 },
    [{ toString: 5, valueOf: 5 }],
    '9'.repeat(400),
    -1,
    1e308,
    '__proto__',
    0.5,
  ),
)

/** The frame with another value at a random place. */
function damage(value: unknown, draw: (end: number) => number, replacement: unknown): unknown {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : []
  const key = keys[draw(Math.max(1, keys.length))]
  if (key === undefined) return replacement
  const changed = damage((value as Record<string, unknown>)[key], draw, replacement)
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...(value as object), [key]: changed }
}

test.each(Object.entries(FRAMES))('%s: a damaged frame never throws and changes no prototype', (_, [decode, frame]) => {
  const places = fc.array(fc.nat(1_000), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(places, odd, fc.option(fc.nat(120), { freq: 3 }), (numbers, replacement, end) => {
      let at = 0
      const text = JSON.stringify(damage(frame, (below) => (numbers[at++ % 8] ?? 0) % below, replacement)) ?? ''
      expect(decode(text.slice(0, end ?? undefined)).problems.length).toBeLessThan(100)
    }),
    { numRuns: 3_000, seed: 1 },
  )
  decode(`{"__proto__":{"polluted":1},${JSON.stringify(frame).slice(1)}`)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test('whatever arrives between the frames of Polymarket, only ordered books with prices below 1 are published', () => {
  const recorder = new WorldRecorder()
  const markets = [...recorder.told.world.markets.values()].filter(({ phase }) => phase === 'trading')
  const draw = random('damaged frames')
  const replacements = fc.sample(odd, { numRuns: 2_000, seed: 1 })
  const deliver = recorder.follower.frame.bind(recorder.follower)
  let damaged = 0
  recorder.follower.frame = (text, receivedAtMs, socket) => {
    const nearby = draw.pick([String(draw.next()).slice(0, 5), '0.5', '1', '0', draw.pick(replacements)])
    const changed = damage(JSON.parse(text), (end) => draw.whole(0, end - 1), nearby)
    deliver(JSON.stringify(changed), receivedAtMs, socket)
    damaged++
    // Now and then without the right frame, as if it had been damaged on its way.
    return draw.chance(0.02) ? 'no_data' : deliver(text, receivedAtMs, socket)
  }
  for (const market of markets) recorder.follow(market)
  for (let seconds = 0; seconds < 60; seconds++) {
    recorder.run(1_000)
    for (const market of markets) deliver(recorder.told.firstFrame(market), recorder.nowMs, 0)
  }
  const rows = markets.flatMap((market) => recorder.rowsOf(market))
  expect([damaged > 5_000, rows.length > 1_000], `${damaged} frames, ${rows.length} rows`).toEqual([true, true])
  for (const { up, down, flags } of rows) {
    expect((flags & (SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown)) > 0).toBe(true)
    const isMarked = (flags & SNAPSHOT_FLAGS.crossed) !== 0
    for (const { bids, asks } of [up, down]) {
      expect([problemOf(bids, -1), problemOf(asks, 1)]).toEqual([undefined, undefined])
      expect((bids[0]?.price ?? 0) < (asks[0]?.price ?? 10_000) || isMarked).toBe(true)
    }
  }
})

function problemOf(levels: Ladders['bids'], direction: 1 | -1): string | undefined {
  let before = direction < 0 ? 10_000 : 0
  for (const { price, size } of levels) {
    if (!Number.isInteger(price) || price <= 0 || price >= 10_000) return `price ${price}`
    if (!Number.isSafeInteger(size) || size <= 0) return `size ${size}`
    if ((price - before) * direction <= 0) return 'levels out of order'
    before = price
  }
  return undefined
}

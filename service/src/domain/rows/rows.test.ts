import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Ladders, mirrorOf } from '../book.ts'
import { GAP_CAUSES, GAP_KINDS, type Gap, readGap, writeGap } from './gap.ts'
import { type PerpContext, readPerpContext, writePerpContext } from './perp-context.ts'
import { type PerpSnapshot, readPerpSnapshot, writePerpSnapshot } from './perp-snapshot.ts'
import { type PerpTrade, readPerpTrade, writePerpTrade } from './perp-trade.ts'
import { RowReader, RowWriter } from './row-binary.ts'
import { readSnapshot, SNAPSHOT_FLAGS, type Snapshot, writeSnapshot } from './snapshot.ts'
import { readTrade, type Trade, writeTrade } from './trade.ts'

const id = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const moment = fc.integer({ min: 0, max: 4_102_444_800_000 })
const whole = fc.maxSafeNat()
const level = fc.record({ price: fc.integer({ min: 1, max: 9_999 }), size: whole })
const ladders: fc.Arbitrary<Ladders> = fc.record({ bids: fc.array(level), asks: fc.array(level) })
const intervalMs = fc.constantFrom(100, 250, 500, 1_000, 3_000)
const slot = fc.integer({ min: 0, max: 20_000_000_000 })

const snapshot: fc.Arbitrary<Snapshot> = fc
  .record({
    marketId: id,
    slot,
    intervalMs,
    capturedAtMs: moment,
    eventAtMs: moment,
    receivedAtMs: moment,
    flags: fc.integer({ min: 0, max: 63 }),
    spotPrice: whole,
    spotAgeMs: fc.nat(),
    changes: fc.nat(),
    up: ladders,
    down: ladders,
  })
  .map((row) => (row.flags & SNAPSHOT_FLAGS.mirrored ? { ...row, down: mirrorOf(row.up) } : row))

const gap: fc.Arbitrary<Gap> = fc.record({
  marketId: id,
  fromSlot: slot,
  toSlot: slot,
  knownAtSlot: slot,
  cause: fc.constantFrom(...GAP_CAUSES),
  kind: fc.constantFrom(...GAP_KINDS),
  intervalMs,
  detail: fc.string({ unit: 'grapheme' }),
})

const trade: fc.Arbitrary<Trade> = fc.record({
  marketId: id,
  outcome: fc.constantFrom(0, 1),
  side: fc.constantFrom('BUY', 'SELL'),
  price: fc.integer({ min: 1, max: 9_999 }),
  size: whole,
  tradedAtMs: moment,
  receivedAtMs: moment,
  transactionHash: id,
  occurrence: fc.nat({ max: 255 }),
})

const perpLevel = fc.record({ price: whole, size: whole, orders: fc.nat() })
const perpSnapshot: fc.Arbitrary<PerpSnapshot> = fc.record({
  venue: fc.constant('hyperliquid'),
  symbol: fc.constantFrom('BTC', 'ETH'),
  slot,
  intervalMs,
  capturedAtMs: moment,
  eventAtMs: moment,
  receivedAtMs: moment,
  ladders: fc.record({ bids: fc.array(perpLevel, { maxLength: 20 }), asks: fc.array(perpLevel, { maxLength: 20 }) }),
  touch: fc.record({ bidPrice: whole, bidSize: whole, askPrice: whole, askSize: whole, eventAtMs: moment }),
})

const perpTrade: fc.Arbitrary<PerpTrade> = fc.record({
  venue: fc.constant('hyperliquid'),
  symbol: fc.constantFrom('BTC', 'ETH'),
  tradeId: whole,
  side: fc.constantFrom('BUY', 'SELL'),
  price: whole,
  size: whole,
  tradedAtMs: moment,
  receivedAtMs: moment,
  transactionHash: id,
})

const figure = fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n })
const perpContext: fc.Arbitrary<PerpContext> = fc.record({
  venue: fc.constant('hyperliquid'),
  symbol: fc.constantFrom('BTC', 'ETH'),
  receivedAtMs: moment,
  funding: figure,
  openInterest: figure,
  markPrice: figure,
  oraclePrice: figure,
  previousDayPrice: figure,
  dayNotional: figure,
  dayVolume: figure,
  book: fc.option(fc.record({ midPrice: figure, premium: figure, impactBid: figure, impactAsk: figure }), {
    nil: undefined,
  }),
})

function survives<Row>(
  row: fc.Arbitrary<Row>,
  write: (writer: RowWriter, row: Row) => void,
  read: (reader: RowReader) => Row,
): void {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      const writer = new RowWriter(8)
      for (const each of rows) write(writer, each)
      const reader = new RowReader(writer.take())
      expect(rows.map(() => read(reader))).toEqual(rows)
      expect(reader.isAtEnd).toBe(true)
    }),
  )
}

describe('rows written one after another are read back exactly', () => {
  test('snapshots', () => survives(snapshot, writeSnapshot, readSnapshot))
  test('gaps', () => survives(gap, writeGap, readGap))
  test('trades', () => survives(trade, writeTrade, readTrade))
  test('perp snapshots', () => survives(perpSnapshot, writePerpSnapshot, readPerpSnapshot))
  test('perp trades', () => survives(perpTrade, writePerpTrade, readPerpTrade))
  test('perp contexts', () => survives(perpContext, writePerpContext, readPerpContext))
})

test('a row that ends in the middle is an error, never a row of zeros', () => {
  fc.assert(
    fc.property(snapshot, fc.double({ min: 0, max: 0.999, noNaN: true }), (row, share) => {
      const writer = new RowWriter()
      writeSnapshot(writer, row)
      const whole = writer.take()
      expect(() => readSnapshot(new RowReader(whole.subarray(0, Math.floor(whole.length * share))))).toThrow()
    }),
  )
})

test('an id that is not 32 bytes of hex is refused', () => {
  const writer = new RowWriter()
  for (const marketId of ['0x12', `0x${'g'.repeat(64)}`, `0x${'0'.repeat(66)}`]) {
    expect(() => writer.hexBytes(marketId, 32), marketId).toThrow('expected 0x and 32 bytes of hex')
  }
})

import fc from 'fast-check'
import { type Ladders, type Level, mirrorOf } from '../../src/domain/book.ts'
import { GAP_CAUSES, GAP_KINDS, type Gap } from '../../src/domain/rows/gap.ts'
import type { PerpSnapshot } from '../../src/domain/rows/perp-snapshot.ts'
import { SNAPSHOT_FLAGS, type Snapshot } from '../../src/domain/rows/snapshot.ts'
import type { Trade } from '../../src/domain/rows/trade.ts'

/** All within one day, as one message has them. */
export const DAY_START_MS = Date.UTC(2026, 10, 14)

const hex64 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const exact = fc.maxSafeNat()
const uint32 = fc.nat(0xffff_ffff)
const timeMs = fc.integer({ min: DAY_START_MS, max: DAY_START_MS + 86_399_999 })
const intervalMs = fc.constantFrom(250, 500, 1_000, 2_000, 3_000)
const levels: fc.Arbitrary<Level[]> = fc.array(fc.record({ price: fc.nat(10_000), size: exact }), { maxLength: 130 })
const ladders: fc.Arbitrary<Ladders> = fc.record({ bids: levels, asks: levels })

export const anySnapshot: fc.Arbitrary<Snapshot> = fc
  .record({
    marketId: hex64,
    atMs: timeMs,
    intervalMs,
    capturedAtMs: timeMs,
    eventAtMs: timeMs,
    receivedAtMs: timeMs,
    flags: fc.nat(63),
    spotPrice: exact,
    spotAgeMs: uint32,
    changes: uint32,
    up: ladders,
    down: ladders,
  })
  .map(({ atMs, ...rest }) => ({
    ...rest,
    slot: Math.floor(atMs / rest.intervalMs),
    down: rest.flags & SNAPSHOT_FLAGS.mirrored ? mirrorOf(rest.up) : rest.down,
  }))

export const anyGap: fc.Arbitrary<Gap> = fc
  .record({
    marketId: hex64,
    atMs: timeMs,
    length: fc.nat(10_000),
    cause: fc.constantFrom(...GAP_CAUSES),
    kind: fc.constantFrom(...GAP_KINDS),
    intervalMs,
    detail: fc.string({ unit: 'grapheme' }),
  })
  .map(({ atMs, length, ...rest }) => {
    const fromSlot = Math.floor(atMs / rest.intervalMs)
    return { ...rest, fromSlot, toSlot: fromSlot + length, knownAtSlot: fromSlot + length }
  })

export const anyTrade: fc.Arbitrary<Trade> = fc.record({
  marketId: hex64,
  outcome: fc.constantFrom(0, 1),
  side: fc.constantFrom('BUY', 'SELL'),
  price: fc.nat(10_000),
  size: exact,
  tradedAtMs: timeMs,
  receivedAtMs: timeMs,
  transactionHash: hex64,
  occurrence: fc.nat({ max: 255 }),
})

const perpLevels = fc.array(fc.record({ price: exact, size: exact, orders: uint32 }), { maxLength: 40 })

export const anyPerpSnapshot: fc.Arbitrary<PerpSnapshot> = fc
  .record({
    venue: fc.constantFrom('hyperliquid', 'other'),
    symbol: fc.string({ minLength: 1, maxLength: 12 }),
    atMs: timeMs,
    capturedAtMs: timeMs,
    eventAtMs: timeMs,
    receivedAtMs: timeMs,
    ladders: fc.record({ bids: perpLevels, asks: perpLevels }),
    touch: fc.record({ bidPrice: exact, bidSize: exact, askPrice: exact, askSize: exact, eventAtMs: timeMs }),
  })
  .map(({ atMs, ...rest }) => ({ ...rest, intervalMs: 500, slot: Math.floor(atMs / 500) }))

import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { type Ladders, mirrorOf } from '../../src/domain/book.ts'
import type { Market } from '../../src/domain/market.ts'
import type { Gap } from '../../src/domain/rows/gap.ts'
import { SNAPSHOT_FLAGS, type Snapshot } from '../../src/domain/rows/snapshot.ts'
import type { Trade } from '../../src/domain/rows/trade.ts'

/** Two minutes ago, so that a test can publish many slots without waiting. */
export function slotNow({ captureIntervalMs }: Market): number {
  return Math.floor((WORLD_NOW_MS - 120_000) / captureIntervalMs)
}

/** The book is a function of the slot; some slots equal the one before, some are not mirrored. */
export function rowAt(market: Market, slot: number, up: Ladders = laddersAt(slot)): Snapshot {
  const atMs = slot * market.captureIntervalMs
  const isMirrored = slot % 5 !== 0
  const down = isMirrored ? mirrorOf(up) : { bids: [{ price: 100 + (slot % 7), size: 1_000_000 }], asks: [] }
  return {
    marketId: market.id,
    slot,
    intervalMs: market.captureIntervalMs,
    capturedAtMs: atMs + 4,
    eventAtMs: atMs - 60,
    receivedAtMs: atMs - 30,
    flags:
      SNAPSHOT_FLAGS.verifiedUp | (isMirrored ? SNAPSHOT_FLAGS.mirrored : 0) | (slot % 3 ? SNAPSHOT_FLAGS.hasSpot : 0),
    spotPrice: slot % 3 ? 9_000_000_000_000 + slot : 0,
    spotAgeMs: slot % 100,
    changes: 1,
    up,
    down,
  }
}

export function rowsAt(market: Market, from: number, to: number): Snapshot[] {
  return Array.from({ length: to - from + 1 }, (_, index) => rowAt(market, from + index))
}

export function laddersAt(slot: number): Ladders {
  const step = Math.floor(slot / 2)
  const bid = 4_000 + (step % 50) * 10
  const level = (price: number, salt: number) => ({
    price,
    size: 1_000_000 + ((step * 7_919 + salt * 104_729) % 9_000_000),
  })
  return {
    bids: [0, 1, 2, 3, 4, 5]
      .filter((each) => (step + each) % 4 !== 0 || each === 0)
      .map((each) => level(bid - each * 20, each)),
    asks: [1, 2, 3, 4]
      .filter((each) => (step + each) % 5 !== 0 || each === 1)
      .map((each) => level(bid + each * 30, each + 10)),
  }
}

export function gapAt(market: Market, fromSlot: number, toSlot: number, changed: Partial<Gap> = {}): Gap {
  const { id: marketId, captureIntervalMs: intervalMs } = market
  return {
    marketId,
    intervalMs,
    fromSlot,
    toSlot,
    knownAtSlot: fromSlot,
    cause: 'disconnected',
    kind: 'missing',
    detail: '',
    ...changed,
  }
}

export function tradeAt(market: Market, receivedAtMs: number, number: number): Trade {
  return {
    marketId: market.id,
    outcome: number % 2 === 0 ? 0 : 1,
    side: number % 3 === 0 ? 'BUY' : 'SELL',
    price: 4_200 + (number % 50),
    size: 5_000_000 + (number % 1_000),
    tradedAtMs: receivedAtMs - 40,
    receivedAtMs,
    transactionHash: `0x${number.toString(16).padStart(64, '0')}`,
    occurrence: 0,
  }
}

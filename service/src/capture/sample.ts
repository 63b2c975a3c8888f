import { mirrorOf, sameLadders } from '../domain/book.ts'
import type { Market } from '../domain/market.ts'
import type { ReferenceSource } from '../domain/price.ts'
import { SNAPSHOT_FLAGS, type Snapshot } from '../domain/rows/snapshot.ts'
import type { ProvedState } from '../venues/venue.ts'

/** A coin's reference price in units of 0.00000001 USD. */
export interface SpotQuote {
  source: ReferenceSource
  price: number
  /** The time of the price: the venue's, or that of receipt when the venue gives none. */
  atMs: number
}

export interface SamplingMoment {
  slot: number
  capturedAtMs: number
  changes: number
  spot?: SpotQuote | undefined
}

const SPOT_FLAGS: Readonly<Record<ReferenceSource, number>> = {
  binance: SNAPSHOT_FLAGS.hasSpot,
  chainlink: SNAPSHOT_FLAGS.hasSpot | SNAPSHOT_FLAGS.chainlinkSpot,
}

/** The row of one market at one slot. */
export function sample(market: Market, state: ProvedState, moment: SamplingMoment): Snapshot {
  const { slot, capturedAtMs, changes, spot } = moment
  return {
    marketId: market.id,
    slot,
    intervalMs: market.captureIntervalMs,
    capturedAtMs,
    eventAtMs: state.eventAtMs,
    receivedAtMs: state.receivedAtMs,
    flags: flagsOf(state) | (spot === undefined ? 0 : SPOT_FLAGS[spot.source]),
    spotPrice: spot?.price ?? 0,
    spotAgeMs: spot === undefined ? 0 : Math.max(0, Math.round(capturedAtMs - spot.atMs)),
    changes,
    up: state.up,
    down: state.down,
  }
}

/** A state is immutable, and an inactive market keeps the same one for many slots. */
const knownFlags = new WeakMap<ProvedState, number>()

function flagsOf(state: ProvedState): number {
  const known = knownFlags.get(state)
  if (known !== undefined) return known
  const { up, down, isUpVerified, isDownVerified } = state
  const [bid, ask] = [up.bids[0]?.price, up.asks[0]?.price]
  const [downBid, downAsk] = [down.bids[0]?.price, down.asks[0]?.price]
  const isCrossed =
    (bid !== undefined && ask !== undefined && bid >= ask) ||
    (downBid !== undefined && downAsk !== undefined && downBid >= downAsk)
  const isOneSided = [bid, ask, downBid, downAsk].includes(undefined)
  const flags =
    (isUpVerified ? SNAPSHOT_FLAGS.verifiedUp : 0) |
    (isDownVerified ? SNAPSHOT_FLAGS.verifiedDown : 0) |
    (sameLadders(mirrorOf(up), down) ? SNAPSHOT_FLAGS.mirrored : 0) |
    (isOneSided ? SNAPSHOT_FLAGS.oneSided : 0) |
    (isCrossed ? SNAPSHOT_FLAGS.crossed : 0)
  knownFlags.set(state, flags)
  return flags
}

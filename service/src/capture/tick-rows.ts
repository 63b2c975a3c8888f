import type { StoredGap, TradeGap } from '../domain/rows/gap.ts'
import type { PerpSnapshot } from '../domain/rows/perp-snapshot.ts'
import type { Price } from '../domain/rows/price.ts'
import type { SettlementPrice } from '../domain/rows/settlement-price.ts'
import type { Snapshot } from '../domain/rows/snapshot.ts'
import type { TapeRow } from '../domain/rows/tape-row.ts'
import type { Trade } from '../domain/rows/trade.ts'
import type { GapLedger } from './gap-ledger.ts'
import type { TakenSample } from './retained-ticks.ts'

/** All rows of one shard at one tick. */
export interface TickRows {
  snapshots: Snapshot[]
  gaps: StoredGap[]
  trades: Trade[]
  /** For each market with trades, and each perp with a tape: the record to write instead if they can't be published. */
  ifTradesAreLost: Map<string, TradeGap>
  perps: PerpSnapshot[]
  prices: Price[]
  settlements: SettlementPrice[]
  /** Trades and contexts of perps. */
  tape: TapeRow[]
}

export function noRows(): TickRows {
  return {
    snapshots: [],
    gaps: [],
    trades: [],
    ifTradesAreLost: new Map(),
    perps: [],
    prices: [],
    settlements: [],
    tape: [],
  }
}

export function hasAny({ snapshots, gaps, trades, perps, prices, tape }: TickRows): boolean {
  return [snapshots, gaps, trades, perps, prices, tape].some((rows) => rows.length > 0)
}

/** A row if the book was trusted, and the gap records that the ledger has for the slot. */
export function writeSample(rows: TickRows, ledger: GapLedger, { slot, doubts, losses, sample }: TakenSample): void {
  for (const doubt of doubts) rows.gaps.push(...ledger.doubted(slot, doubt), ledger.tradesLost(slot, doubt))
  for (const loss of losses) rows.gaps.push(ledger.tradesLost(slot, loss))
  if ('absence' in sample) {
    rows.gaps.push(...ledger.absent(slot, sample.absence))
    return
  }
  if ('snapshot' in sample) rows.snapshots.push(sample.snapshot)
  else rows.perps.push(sample.perpSnapshot)
  rows.gaps.push(...ledger.sampled(slot))
}

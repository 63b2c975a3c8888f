import type { SideName } from '../world/book.ts'
import type { KalshiMarket } from './kalshi-market.ts'

export interface KalshiTrade {
  readonly id: string
  readonly market: KalshiMarket
  readonly atMs: number
  /** Of YES. */
  readonly price: number
  readonly size: number
  /** The taker bought this. */
  readonly taker: 'yes' | 'no'
}

export type LifecycleKind =
  | 'created'
  | 'activated'
  | 'deactivated'
  | 'close_date_updated'
  | 'determined'
  | 'settled'
  | 'price_level_structure_updated'
  | 'metadata_updated'

/** One level of one book changed; the market holds the state after it. */
export interface Delta {
  kind: 'delta'
  market: KalshiMarket
  atMs: number
  side: SideName
  /** Of YES. */
  price: number
  /** Contracts added or, below zero, removed. */
  change: number
  topMoved: boolean
}

/** What the venue publishes. */
export type KalshiHappening =
  | Delta
  | { kind: 'trade'; market: KalshiMarket; atMs: number; trade: KalshiTrade }
  | { kind: 'lifecycle'; market: KalshiMarket; atMs: number; event: LifecycleKind }
  | { kind: 'paused'; atMs: number; isScheduled: boolean }
  | { kind: 'resumed'; atMs: number }

/** What somebody forced on the world while it ran. */
export type Intervention =
  | { atMs: number; kind: 'pause' }
  | { atMs: number; kind: 'resume' }
  | { atMs: number; kind: 'close'; ticker: string }

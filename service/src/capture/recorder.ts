import type { Gap } from '../domain/gap.ts'
import type { Market } from '../domain/market.ts'
import { slotAt } from '../domain/slot.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Trade } from '../domain/trade.ts'
import type { FollowedMarket } from './followed-market.ts'
import { GapLedger } from './gap-ledger.ts'
import { type SpotQuote, sample } from './sample.ts'

/** Everything one shard has to say of one tick. */
export interface TickRows {
  snapshots: Snapshot[]
  gaps: Gap[]
  trades: Trade[]
}

export interface RecorderDeps {
  nowMs: () => number
  shardOf(marketId: string): number
  spotOf: (market: Market) => SpotQuote | undefined
  /** Called for each of our shards at every tick, also when it has nothing to say: a tick without rows is a sign of life. */
  publish(shard: number, tickMs: number, rows: TickRows): void
}

/** What an earlier recorder of a shard had done when it stopped. */
export interface Legacy {
  lastTickMs: number
  marketIds: ReadonlySet<string>
}

/** An open gap is told at most once a second, so the last second of an earlier account may be missing. */
const ACCOUNT_MAY_LAG_MS = 1_000

interface Recorded {
  followed: FollowedMarket
  ledger: GapLedger
}

interface Shard {
  legacy: Legacy | undefined
  recorded: Map<string, Recorded>
}

/** At every slot of every market of the shards that are ours: a row if its book is trusted, an entry in its gap ledger if not. */
export class Recorder {
  readonly #deps: RecorderDeps
  readonly #followed = new Map<string, FollowedMarket>()
  readonly #shards = new Map<number, Shard>()
  readonly #waiting = new Map<number, TickRows>()

  constructor(deps: RecorderDeps) {
    this.#deps = deps
  }

  /** The shard is ours from now on; what its last recorder left open is accounted for first. */
  hold(shard: number, legacy?: Legacy): void {
    this.#shards.set(shard, { legacy, recorded: new Map() })
    for (const followed of this.#followed.values()) {
      if (this.#deps.shardOf(followed.market.id) === shard) this.#record(followed)
    }
  }

  /** Another records it now, and accounts for the time since our last tick. */
  leave(shard: number): void {
    this.#shards.delete(shard)
    this.#waiting.delete(shard)
  }

  add(followed: FollowedMarket): void {
    if (this.#followed.has(followed.market.id)) return
    this.#followed.set(followed.market.id, followed)
    this.#record(followed)
  }

  /** The market has ended; what its ledger still owes goes with the next tick. */
  remove(marketId: string): void {
    this.#followed.delete(marketId)
    const shard = this.#deps.shardOf(marketId)
    const recorded = this.#shards.get(shard)?.recorded
    const ledger = recorded?.get(marketId)?.ledger
    recorded?.delete(marketId)
    if (ledger !== undefined) this.#rowsOf(shard).gaps.push(...ledger.end())
  }

  marketIdsOf(shard: number): string[] {
    return [...(this.#shards.get(shard)?.recorded.keys() ?? [])]
  }

  trade(trade: Trade): void {
    const shard = this.#deps.shardOf(trade.marketId)
    if (this.#shards.has(shard)) this.#rowsOf(shard).trades.push(trade)
  }

  /** Gap records from elsewhere, such as for batches that the bus never took. */
  gaps(shard: number, gaps: readonly Gap[]): void {
    if (this.#shards.has(shard)) this.#rowsOf(shard).gaps.push(...gaps)
  }

  tick(tickMs: number): void {
    for (const [shard, { recorded }] of this.#shards) {
      const rows = this.#rowsOf(shard)
      for (const each of recorded.values()) {
        const { captureIntervalMs } = each.followed.market
        if (tickMs % captureIntervalMs === 0) this.#sample(each, tickMs / captureIntervalMs, rows)
      }
      this.#deps.publish(shard, tickMs, rows)
    }
    this.#waiting.clear()
  }

  #record(followed: FollowedMarket): void {
    const { id, captureIntervalMs } = followed.market
    const shard = this.#shards.get(this.#deps.shardOf(id))
    if (shard === undefined) return
    const { legacy } = shard
    const leftAtSlot = legacy?.marketIds.has(id)
      ? slotAt(legacy.lastTickMs - ACCOUNT_MAY_LAG_MS, captureIntervalMs)
      : undefined
    shard.recorded.set(id, { followed, ledger: new GapLedger(id, captureIntervalMs, leftAtSlot) })
  }

  #sample({ followed, ledger }: Recorded, slot: number, rows: TickRows): void {
    const nowMs = this.#deps.nowMs()
    followed.settle(nowMs)
    for (const doubt of followed.passingDoubts()) rows.gaps.push(...ledger.doubted(slot, doubt))
    const state = followed.book.proved
    if (state === undefined) {
      rows.gaps.push(...ledger.absent(slot, followed.absence()))
      return
    }
    const changes = followed.book.takeChangeCount()
    const spot = this.#deps.spotOf(followed.market)
    rows.snapshots.push(sample(followed.market, state, { slot, capturedAtMs: Math.round(nowMs), changes, spot }))
    rows.gaps.push(...ledger.sampled(slot))
  }

  #rowsOf(shard: number): TickRows {
    const known = this.#waiting.get(shard)
    if (known !== undefined) return known
    const rows: TickRows = { snapshots: [], gaps: [], trades: [] }
    this.#waiting.set(shard, rows)
    return rows
  }
}

import type { Market } from '../domain/market.ts'
import { PERP_INTERVAL_MS } from '../domain/plan.ts'
import type { Gap } from '../domain/rows/gap.ts'
import type { PerpSnapshot } from '../domain/rows/perp-snapshot.ts'
import type { Snapshot } from '../domain/rows/snapshot.ts'
import type { Trade } from '../domain/rows/trade.ts'
import { slotAt } from '../domain/slot.ts'
import type { FollowedMarket } from './followed-market.ts'
import { type Absence, GapLedger } from './gap-ledger.ts'
import { type SpotQuote, sample } from './sample.ts'

/** All rows of one shard at one tick. */
export interface TickRows {
  snapshots: Snapshot[]
  gaps: Gap[]
  trades: Trade[]
  perps: PerpSnapshot[]
}

/** A perp that can be sampled; `sample` returns undefined while its book is stale. */
export interface SampledPerp {
  readonly id: string
  readonly symbol: string
  sample(slot: number, intervalMs: number, capturedAtMs: number): PerpSnapshot | undefined
}

export interface RecorderDeps {
  nowMs: () => number
  shardOf(marketId: string): number
  spotOf: (market: Market) => SpotQuote | undefined
  /** Called for each held shard at every tick, also without rows: an empty batch shows that the shard is recorded. */
  publish(shard: number, tickMs: number, rows: TickRows): void
}

/** Markets that an earlier recorder of the shard left, each with the last tick that has rows or gap records. */
export type InheritedMarkets = ReadonlyMap<string, number>

/** An open gap is published at most once a second, so its last second may be missing after a restart. */
const GAP_RECORD_MAY_LAG_MS = 1_000

const NO_FRESH_PERP: Absence = { cause: 'venue_silent', detail: 'no fresh whole book' }

interface Recorded {
  followed: FollowedMarket
  ledger: GapLedger
}

interface Shard {
  inherited: InheritedMarkets | undefined
  /** Markets in the saved shard state, which the next recorder reads; undefined when no state is saved. */
  saved: ReadonlySet<string> | undefined
  recorded: Map<string, Recorded>
  perps: Map<string, GapLedger>
  /** The first tick at which each inherited market got a row or a gap record from this recorder. */
  firstTickMs: Map<string, number>
}

/** At every slot of every market in the held shards: takes a row if the book is trusted, a gap ledger entry if not. */
export class Recorder {
  readonly #deps: RecorderDeps
  readonly #followed = new Map<string, FollowedMarket>()
  readonly #perps = new Map<string, SampledPerp>()
  readonly #shards = new Map<number, Shard>()
  readonly #pending = new Map<number, TickRows>()

  constructor(deps: RecorderDeps) {
    this.#deps = deps
  }

  /** Starts recording the shard; slots since the last recorder's state become gaps. */
  hold(shard: number, inherited?: InheritedMarkets): void {
    this.#shards.set(shard, {
      inherited,
      saved: undefined,
      recorded: new Map(),
      perps: new Map(),
      firstTickMs: new Map(),
    })
    for (const followed of this.#followed.values()) {
      if (this.#deps.shardOf(followed.market.id) === shard) this.#record(followed)
    }
    for (const { id } of this.#perps.values()) if (this.#deps.shardOf(id) === shard) this.#recordPerp(id)
  }

  /** Another process records the shard now, and writes the gap since our last tick. */
  leave(shard: number): void {
    this.#shards.delete(shard)
    this.#pending.delete(shard)
  }

  add(followed: FollowedMarket): void {
    if (this.#followed.has(followed.market.id)) return
    this.#followed.set(followed.market.id, followed)
    this.#record(followed)
  }

  addPerp(perp: SampledPerp): void {
    this.#perps.set(perp.id, perp)
    this.#recordPerp(perp.id)
  }

  /** Stops recording the market; its last gap record is published with the next tick. */
  remove(marketId: string): void {
    this.#followed.delete(marketId)
    const shard = this.#deps.shardOf(marketId)
    const recorded = this.#shards.get(shard)?.recorded
    const ledger = recorded?.get(marketId)?.ledger
    recorded?.delete(marketId)
    if (ledger !== undefined) this.#rowsOf(shard).gaps.push(...ledger.end())
  }

  marketIdsOf(shard: number): string[] {
    const held = this.#shards.get(shard)
    return held === undefined ? [] : [...held.recorded.keys(), ...held.perps.keys()]
  }

  /** The first tick at which this recorder wrote a row or gap record of an inherited market. */
  firstTickMs(shard: number, marketId: string): number | undefined {
    return this.#shards.get(shard)?.firstTickMs.get(marketId)
  }

  /** These markets are in the saved state. Only they are sampled, so that a successor knows every market with rows. */
  markSaved(shard: number, marketIds: ReadonlySet<string>): void {
    const held = this.#shards.get(shard)
    if (held !== undefined) held.saved = marketIds
  }

  trade(trade: Trade): void {
    const shard = this.#deps.shardOf(trade.marketId)
    if (this.#shards.has(shard)) this.#rowsOf(shard).trades.push(trade)
  }

  /** The sampling clock was moved ahead: the slots that it passed over have no row in any shard. */
  clockStepped(): void {
    for (const { recorded, perps } of this.#shards.values()) {
      for (const { ledger } of recorded.values()) ledger.clockStepped()
      for (const ledger of perps.values()) ledger.clockStepped()
    }
  }

  /** Samples the markets with these intervals; left out, all whose slot is due. */
  tick(tickMs: number, intervalsMs?: ReadonlySet<number>): void {
    const isDue = (everyMs: number) => intervalsMs?.has(everyMs) ?? tickMs % everyMs === 0
    for (const [shard, { recorded, perps, saved, inherited, firstTickMs }] of this.#shards) {
      const noteRecorded = (id: string): void => {
        if (inherited?.has(id) && !firstTickMs.has(id)) firstTickMs.set(id, tickMs)
      }
      const rows = this.#rowsOf(shard)
      for (const each of recorded.values()) {
        const { id, captureIntervalMs } = each.followed.market
        if (!isDue(captureIntervalMs) || saved?.has(id) === false) continue
        this.#sample(each, tickMs / captureIntervalMs, rows)
        noteRecorded(id)
      }
      if (isDue(PERP_INTERVAL_MS)) {
        const savedPerps = [...perps].filter(([id]) => saved?.has(id) !== false)
        this.#samplePerps(savedPerps, tickMs / PERP_INTERVAL_MS, rows)
        for (const [id] of savedPerps) noteRecorded(id)
      }
    }
    // After all shards are sampled: encoding the rows of one must not delay the samples of another.
    const pending = [...this.#pending]
    this.#pending.clear()
    for (const [shard, rows] of pending) this.#deps.publish(shard, tickMs, rows)
  }

  #record(followed: FollowedMarket): void {
    const { id, captureIntervalMs } = followed.market
    const shard = this.#shards.get(this.#deps.shardOf(id))
    shard?.recorded.set(id, { followed, ledger: ledgerOf(id, captureIntervalMs, shard.inherited) })
  }

  #recordPerp(id: string): void {
    const shard = this.#shards.get(this.#deps.shardOf(id))
    shard?.perps.set(id, ledgerOf(id, PERP_INTERVAL_MS, shard.inherited))
  }

  #samplePerps(ledgers: Iterable<[string, GapLedger]>, slot: number, rows: TickRows): void {
    const capturedAtMs = Math.round(this.#deps.nowMs())
    for (const [id, ledger] of ledgers) {
      const row = this.#perps.get(id)?.sample(slot, PERP_INTERVAL_MS, capturedAtMs)
      if (row === undefined) rows.gaps.push(...ledger.absent(slot, NO_FRESH_PERP))
      else {
        rows.perps.push(row)
        rows.gaps.push(...ledger.sampled(slot))
      }
    }
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
    const known = this.#pending.get(shard)
    if (known !== undefined) return known
    const rows: TickRows = { snapshots: [], gaps: [], trades: [], perps: [] }
    this.#pending.set(shard, rows)
    return rows
  }
}

function ledgerOf(id: string, intervalMs: number, inherited: InheritedMarkets | undefined): GapLedger {
  const lastTickMs = inherited?.get(id)
  return new GapLedger(
    id,
    intervalMs,
    lastTickMs === undefined ? undefined : slotAt(lastTickMs - GAP_RECORD_MAY_LAG_MS, intervalMs),
  )
}

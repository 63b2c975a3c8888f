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

/** Everything one shard has to say of one tick. */
export interface TickRows {
  snapshots: Snapshot[]
  gaps: Gap[]
  trades: Trade[]
  perps: PerpSnapshot[]
}

/** A perp as it can be sampled; undefined when nothing about it is fresh enough. */
export interface SampledPerp {
  readonly id: string
  readonly symbol: string
  sample(slot: number, intervalMs: number, capturedAtMs: number): PerpSnapshot | undefined
}

export interface RecorderDeps {
  nowMs: () => number
  shardOf(marketId: string): number
  spotOf: (market: Market) => SpotQuote | undefined
  /** Called for each of our shards at every tick, also when it has nothing to say: a tick without rows is a sign of life. */
  publish(shard: number, tickMs: number, rows: TickRows): void
}

/** Markets of earlier recorders of a shard, each with the last tick that is accounted for. */
export type Legacy = ReadonlyMap<string, number>

/** An open gap is told at most once a second, so the last second of an earlier account may be missing. */
const ACCOUNT_MAY_LAG_MS = 1_000

const NO_FRESH_PERP: Absence = { cause: 'venue_silent', detail: 'no whole book that is fresh enough' }

interface Recorded {
  followed: FollowedMarket
  ledger: GapLedger
}

interface Shard {
  legacy: Legacy | undefined
  /** Markets that a successor would know of; undefined when nobody keeps such an account. */
  written: ReadonlySet<string> | undefined
  recorded: Map<string, Recorded>
  perps: Map<string, GapLedger>
  /** Of the legacy, the first tick at which we said something of each. */
  saidAtMs: Map<string, number>
}

/** At every slot of every market of the shards that are ours: a row if its book is trusted, an entry in its gap ledger if not. */
export class Recorder {
  readonly #deps: RecorderDeps
  readonly #followed = new Map<string, FollowedMarket>()
  readonly #perps = new Map<string, SampledPerp>()
  readonly #shards = new Map<number, Shard>()
  readonly #waiting = new Map<number, TickRows>()

  constructor(deps: RecorderDeps) {
    this.#deps = deps
  }

  /** The shard is ours from now on; what its last recorder left open is accounted for first. */
  hold(shard: number, legacy?: Legacy): void {
    this.#shards.set(shard, {
      legacy,
      written: undefined,
      recorded: new Map(),
      perps: new Map(),
      saidAtMs: new Map(),
    })
    for (const followed of this.#followed.values()) {
      if (this.#deps.shardOf(followed.market.id) === shard) this.#record(followed)
    }
    for (const { id } of this.#perps.values()) if (this.#deps.shardOf(id) === shard) this.#recordPerp(id)
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

  addPerp(perp: SampledPerp): void {
    this.#perps.set(perp.id, perp)
    this.#recordPerp(perp.id)
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
    const held = this.#shards.get(shard)
    return held === undefined ? [] : [...held.recorded.keys(), ...held.perps.keys()]
  }

  /** When we first said something of a market of the legacy, a row or why there is none; undefined before. */
  saidAtMs(shard: number, marketId: string): number | undefined {
    return this.#shards.get(shard)?.saidAtMs.get(marketId)
  }

  /** These are written down as recorded by us. Only such are: a successor must be able to account for every market that has rows. */
  wrote(shard: number, marketIds: ReadonlySet<string>): void {
    const held = this.#shards.get(shard)
    if (held !== undefined) held.written = marketIds
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
    for (const [shard, { recorded, perps, written, legacy, saidAtMs }] of this.#shards) {
      const said = (id: string): void => {
        if (legacy?.has(id) && !saidAtMs.has(id)) saidAtMs.set(id, tickMs)
      }
      const rows = this.#rowsOf(shard)
      for (const each of recorded.values()) {
        const { id, captureIntervalMs } = each.followed.market
        if (tickMs % captureIntervalMs !== 0 || written?.has(id) === false) continue
        this.#sample(each, tickMs / captureIntervalMs, rows)
        said(id)
      }
      if (tickMs % PERP_INTERVAL_MS === 0) {
        const writtenPerps = [...perps].filter(([id]) => written?.has(id) !== false)
        this.#samplePerps(writtenPerps, tickMs / PERP_INTERVAL_MS, rows)
        for (const [id] of writtenPerps) said(id)
      }
    }
    // After all are sampled: making bytes of one shard's rows must not delay another's samples.
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const [shard, rows] of waiting) this.#deps.publish(shard, tickMs, rows)
  }

  #record(followed: FollowedMarket): void {
    const { id, captureIntervalMs } = followed.market
    const shard = this.#shards.get(this.#deps.shardOf(id))
    shard?.recorded.set(id, { followed, ledger: ledgerOf(id, captureIntervalMs, shard.legacy) })
  }

  #recordPerp(id: string): void {
    const shard = this.#shards.get(this.#deps.shardOf(id))
    shard?.perps.set(id, ledgerOf(id, PERP_INTERVAL_MS, shard.legacy))
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
    const known = this.#waiting.get(shard)
    if (known !== undefined) return known
    const rows: TickRows = { snapshots: [], gaps: [], trades: [], perps: [] }
    this.#waiting.set(shard, rows)
    return rows
  }
}

function ledgerOf(id: string, intervalMs: number, legacy: Legacy | undefined): GapLedger {
  const lastTickMs = legacy?.get(id)
  return new GapLedger(
    id,
    intervalMs,
    lastTickMs === undefined ? undefined : slotAt(lastTickMs - ACCOUNT_MAY_LAG_MS, intervalMs),
  )
}

import type { RawSink } from '../domain/raw-record.ts'
import type { SettlementPrice } from '../domain/rows/settlement-price.ts'
import type { Trade } from '../domain/rows/trade.ts'
import type { FrameOutcome } from '../venues/feed-options.ts'
import type { BinaryVenue, SocketProtocol } from '../venues/venue.ts'
import type { FollowedMarket } from './followed-market.ts'
import { Follower, type FollowerDeps } from './follower.ts'
import type { PriceBoard } from './price-board.ts'
import { Recorder, type RecorderDeps } from './recorder.ts'
import {
  type HeldShardCheckpoint,
  isKeptBySocket,
  type MarketCheckpoint,
  type RecordingInput,
  rawRecordOf,
} from './recording-input.ts'
import { type ResumedShard, recordOfResumed, resumedIn } from './resumed-shard.ts'
import { sampledBinary } from './sampled-binary.ts'
import type { SampledMarket } from './sampled-market.ts'
import type { ShardRecording } from './shard-keeper.ts'

export interface RecordingDeps
  extends Pick<RecorderDeps, 'shardOf' | 'publish'>,
    Pick<FollowerDeps, 'onResolved' | 'onProblem' | 'onDoubt' | 'onSwitched' | 'onMarketFrame'> {
  venue: BinaryVenue
  prices: Pick<PriceBoard, 'quoteFor'>
  /** Keeps the inputs; left out, nothing is kept. */
  raw?: RawSink | undefined
  /** Default: `CHECKPOINT_EVERY_MS`. */
  checkpointEveryMs?: number | undefined
}

/** Every market has a checkpoint at least this often: a rebuild has to read this much before its range. */
export const CHECKPOINT_EVERY_MS = 600_000
/** A checkpoint takes a fraction of a millisecond; the next tick must not be late. */
const CHECKPOINTS_PER_TICK = 10

/**
 * From inputs to rows: the books of all followed markets, and what is sampled from them. It has no clock, no timer and
 * no socket. Every input carries its time and is kept in the raw archive, so that a rebuild gives the same rows.
 * Prices are no input of their own: their frames are kept, too, in the same order.
 */
export class Recording implements ShardRecording {
  readonly #deps: RecordingDeps
  readonly #follower: Follower
  readonly #recorder: Recorder
  readonly #waiting: RecordingInput[] = []
  readonly #epochs = new Map<string, number>()
  readonly #saved = new Map<string, ReadonlySet<string>>()
  #isApplying = false
  #atMs = 0
  #roundAtMs = Number.NEGATIVE_INFINITY
  #withoutCheckpoint: string[] = []

  constructor(deps: RecordingDeps) {
    const { venue, shardOf, publish } = deps
    this.#deps = deps
    const nowMs = (): number => this.#atMs
    this.#recorder = new Recorder({
      nowMs,
      shardOf,
      publish,
    })
    this.#follower = new Follower({ ...deps, venue, nowMs, onTrade: (trade: Trade) => this.#recorder.trade(trade) })
  }

  get markets(): ReadonlyMap<string, FollowedMarket> {
    return this.#follower.markets
  }

  holds(marketId: string): boolean {
    return this.#recorder.holds(marketId)
  }

  marketIdsOf(shard: string): string[] {
    return this.#recorder.marketIdsOf(shard)
  }

  retainedSinceMs(shard: string): number | undefined {
    return this.#recorder.retainedSinceMs(shard)
  }

  firstTickMs(shard: string, marketId: string): number | undefined {
    return this.#recorder.firstTickMs(shard, marketId)
  }

  /** The shards that are recorded, each with the number of its lease. */
  get leases(): ReadonlyMap<string, number> {
    return this.#epochs
  }

  protocolOf(socket: number): SocketProtocol {
    return this.#follower.protocolOf(socket)
  }

  /** The lease under which the shard is recorded. */
  epochOf(shard: string): number | undefined {
    return this.#epochs.get(shard)
  }

  openGapSince(marketId: string): number | undefined {
    return this.#recorder.openGapSince(marketId)
  }

  settlement(price: SettlementPrice): void {
    this.#recorder.settlement(price)
  }

  hold(shard: string, epoch: number, resumed: ResumedShard | undefined, atMs: number): void {
    this.apply({ kind: 'shard_held', atMs, shard, epoch, resumed: resumed && recordOfResumed(resumed) })
  }

  leave(shard: string, atMs: number): void {
    this.apply({ kind: 'shard_left', atMs, shard })
  }

  /** Called once a second for each shard; mostly nothing has changed. */
  markSaved(shard: string, marketIds: ReadonlySet<string>, atMs: number): void {
    const known = this.#saved.get(shard)
    if (known?.size === marketIds.size && [...known].every((id) => marketIds.has(id))) return
    this.apply({ kind: 'shard_saved', atMs, shard, marketIds: [...marketIds] })
  }

  /** It was kept in the raw archive when it was received. */
  frame(text: string, receivedAtMs: number, socket: number): FrameOutcome {
    this.#isApplying = true
    this.#atMs = receivedAtMs
    const outcome = this.#follower.frame(text, receivedAtMs, socket)
    this.#isApplying = false
    this.#applyWaiting()
    return outcome
  }

  /** An input that comes up while another one is applied waits until that one is done. */
  apply(input: RecordingInput): void {
    this.#waiting.push(input)
    if (!this.#isApplying) this.#applyWaiting()
  }

  #applyWaiting(): void {
    for (let input = this.#waiting.shift(); input !== undefined; input = this.#waiting.shift()) {
      this.#isApplying = true
      if (!isKeptBySocket(input)) this.#deps.raw?.append(rawRecordOf(this.#deps.venue.id, input))
      this.#atMs = input.atMs
      this.#take(input)
      this.#isApplying = false
    }
  }

  #take(input: RecordingInput): void {
    const { atMs } = input
    switch (input.kind) {
      case 'frame':
        this.#follower.frame(input.text, atMs, input.socket)
        return
      case 'opened':
        return this.#follower.opened(input.socket)
      case 'closed':
        return this.#follower.closed(input.socket)
      case 'tick':
        this.#recorder.tick(input.tickMs, new Set(input.intervalsMs))
        return this.#writeCheckpoints(atMs)
      case 'listed':
        return this.#recorder.add(this.#sampled(this.#follower.add(input.market)))
      case 'removed':
        return this.#remove(input.marketId)
      case 'routed':
        return this.#follower.route(input.change)
      case 'moves_settled':
        return this.#follower.settleMoves(atMs)
      case 'lost':
        return this.#follower.lost(input.marketIds, input.doubt, input.lastDataAtMs)
      case 'compared':
        return this.markets.get(input.marketId)?.compare(input.books, atMs)
      case 'confirmed':
        return this.markets.get(input.marketId)?.confirm(atMs)
      case 'shard_held': {
        const { shard, epoch, resumed } = input
        this.#epochs.set(shard, epoch)
        return this.#recorder.hold(shard, resumed && resumedIn(resumed))
      }
      case 'shard_saved': {
        const marketIds = new Set(input.marketIds)
        this.#saved.set(input.shard, marketIds)
        return this.#recorder.markSaved(input.shard, marketIds)
      }
      case 'shard_left':
        this.#recorder.leave(input.shard)
        this.#epochs.delete(input.shard)
        this.#saved.delete(input.shard)
        return
      case 'clock_stepped':
        return this.#recorder.clockStepped()
      case 'shards':
        if (this.#epochs.size === 0) this.#deps.venue.restoreRule(input.ruleChangedAtMs)
        this.#follower.restoreProtocols(input.protocols ?? [])
        for (const each of input.shards) if (!this.#epochs.has(each.shard)) this.#restoreShard(each)
        return
      case 'checkpoint':
        return this.#restoreMarket(input)
    }
  }

  #sampled(followed: FollowedMarket): SampledMarket {
    return sampledBinary(followed, (market) => this.#deps.prices.quoteFor(market, this.#atMs))
  }

  #remove(marketId: string): void {
    this.#recorder.remove(marketId)
    this.#follower.remove(marketId)
  }

  #writeCheckpoints(atMs: number): void {
    const { raw, venue, checkpointEveryMs = CHECKPOINT_EVERY_MS } = this.#deps
    if (raw === undefined) return
    if (atMs - this.#roundAtMs >= checkpointEveryMs) {
      this.#roundAtMs = atMs
      this.#withoutCheckpoint = [...this.markets.keys()]
      const shards = [...this.#epochs].flatMap(([shard, epoch]) => {
        const checkpoint = this.#recorder.checkpointShard(shard)
        return checkpoint === undefined ? [] : [{ shard, epoch, ...checkpoint }]
      })
      const protocols = this.#follower.checkpointProtocols()
      const ruleChangedAtMs = venue.ruleChangedAtMs()
      raw.append(rawRecordOf(venue.id, { kind: 'shards', atMs, shards, ruleChangedAtMs, protocols }))
    }
    for (const id of this.#withoutCheckpoint.splice(0, CHECKPOINTS_PER_TICK)) {
      const market = this.markets.get(id)?.market
      const follower = this.#follower.checkpoint(id)
      if (market === undefined || follower === undefined) continue
      const ledger = this.#recorder.checkpointLedger(id)
      raw.append(rawRecordOf(venue.id, { kind: 'checkpoint', atMs, market, follower, ledger }))
    }
  }

  /** The shard's markets, also those listed before this record, come with their own checkpoints. */
  #restoreShard({ shard, epoch, ...checkpoint }: HeldShardCheckpoint): void {
    for (const id of this.markets.keys()) if (this.#deps.shardOf(id) === shard) this.#remove(id)
    this.#epochs.set(shard, epoch)
    this.#recorder.restoreShard(shard, checkpoint)
  }

  #restoreMarket({ market, follower, ledger }: MarketCheckpoint): void {
    if (this.markets.has(market.id)) return
    if (ledger === undefined) return this.#recorder.add(this.#sampled(this.#follower.restore(market, follower)))
    if (!this.#epochs.has(this.#deps.shardOf(market.id))) return
    this.#recorder.restore(this.#sampled(this.#follower.restore(market, follower)), ledger)
  }
}

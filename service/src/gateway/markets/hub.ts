import { type Batch, rowsIn } from '../../bus/batch.ts'
import { snapshotRows } from '../../bus/live-rows.ts'
import { ShardFeed } from '../../bus/shard-feed.ts'
import { gapSchema, isRowGap } from '../../domain/rows/gap.ts'
import { perpContextSchema } from '../../domain/rows/perp-context.ts'
import { perpMarketId, perpSnapshotSchema } from '../../domain/rows/perp-snapshot.ts'
import { perpTradeSchema } from '../../domain/rows/perp-trade.ts'
import { tradeSchema } from '../../domain/rows/trade.ts'
import { forEverybody } from '../../stores/engines/waiting-caller.ts'
import type { MarketStream } from '../channels/market-stream.ts'
import { binaryRowOf, perpRowOf } from '../frames/stream-row.ts'
import { type Told, toldMarketId } from '../frames/told.ts'
import { LiveMarket, type LiveMarketDeps } from './live-market.ts'
import type { StreamMarket } from './stream-market.ts'

export interface HubDeps extends LiveMarketDeps {
  readonly shardOf: (market: StreamMarket) => string
}

/** How long an unused market stays subscribed, so that clients that reconnect find its recent rows. */
const KEPT_UNUSED_MS = 120_000

/** The markets that clients use; subscribes only to their shards. */
export class Hub {
  readonly feed: ShardFeed
  readonly #deps: HubDeps
  readonly #markets = new Map<string, LiveMarket>()
  readonly #shards = new Map<string, number>()
  readonly #unusedSince = new Map<string, number>()

  constructor(deps: HubDeps) {
    this.#deps = deps
    this.feed = new ShardFeed({ onBatch: (batch) => this.take(batch), onProblem: deps.onTrouble })
  }

  /** Subscribes to the market, for KEPT_UNUSED_MS also without a stream. */
  market(market: StreamMarket): LiveMarket {
    const known = this.#markets.get(market.id)
    if (known !== undefined) {
      if (known.streams.size === 0) this.#unusedSince.set(market.id, this.#deps.nowMs())
      return known
    }
    const live = new LiveMarket(market, this.#deps)
    this.#markets.set(market.id, live)
    this.#unusedSince.set(market.id, this.#deps.nowMs())
    const shard = this.#deps.shardOf(market)
    this.#shards.set(shard, (this.#shards.get(shard) ?? 0) + 1)
    // The subscription outlives the client for which it is made.
    forEverybody(() => this.feed.want(shard))
    return live
  }

  known(marketId: string): LiveMarket | undefined {
    return this.#markets.get(marketId)
  }

  get markets(): Iterable<LiveMarket> {
    return this.#markets.values()
  }

  add(stream: MarketStream): void {
    this.market(stream.market).streams.add(stream)
    this.#unusedSince.delete(stream.market.id)
  }

  remove(stream: MarketStream): void {
    const live = this.#markets.get(stream.market.id)
    if (!live?.streams.delete(stream) || live.streams.size > 0) return
    this.#unusedSince.set(stream.market.id, this.#deps.nowMs())
  }

  /** Unsubscribes from markets that are unused for KEPT_UNUSED_MS. */
  sweep(): void {
    const before = this.#deps.nowMs() - KEPT_UNUSED_MS
    for (const [id, sinceMs] of this.#unusedSince) {
      if (sinceMs > before) continue
      this.#unusedSince.delete(id)
      const live = this.#markets.get(id)
      if (live === undefined) continue
      live.ring.clear()
      this.#markets.delete(id)
      const shard = this.#deps.shardOf(live.market)
      const left = (this.#shards.get(shard) ?? 1) - 1
      this.#shards.set(shard, left)
      if (left > 0) continue
      this.#shards.delete(shard)
      this.feed.leave(shard)
    }
  }

  /** Gaps before rows, because a gap record arrives with the first row after the missing slots. */
  take(batch: Batch): void {
    for (const gap of rowsIn(batch, 'gaps', gapSchema)) if (isRowGap(gap)) this.#markets.get(gap.marketId)?.gap(gap)
    for (const row of rowsIn(batch, 'trades', tradeSchema)) this.#told({ kind: 'fill', row })
    for (const row of rowsIn(batch, 'perp_trades', perpTradeSchema)) this.#told({ kind: 'trade', row })
    for (const row of rowsIn(batch, 'perp_contexts', perpContextSchema)) this.#told({ kind: 'context', row })
    for (const { marketId, slot, schema, bytes } of snapshotRows(batch)) {
      this.#markets.get(marketId)?.row(binaryRowOf(bytes, slot, schema))
    }
    for (const perp of rowsIn(batch, 'perp_snapshots', perpSnapshotSchema)) {
      this.#markets.get(perpMarketId(perp.venue, perp.symbol))?.row(perpRowOf(perp))
    }
  }
  #told(told: Told): void {
    this.#markets.get(toldMarketId(told))?.told(told)
  }
}

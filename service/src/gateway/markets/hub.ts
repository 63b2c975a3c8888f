import type { Batch } from '../../bus/batch.ts'
import { perpRows, snapshotRows } from '../../bus/live-rows.ts'
import { ShardFeed } from '../../bus/shard-feed.ts'
import { readGap } from '../../domain/rows/gap.ts'
import { perpMarketId, readPerpSnapshot } from '../../domain/rows/perp-snapshot.ts'
import { RowReader } from '../../domain/rows/row-binary.ts'
import { readTrade } from '../../domain/rows/trade.ts'
import { shardOf } from '../../domain/shards.ts'
import { binaryRowOf, perpRowOf } from '../frames/stream-row.ts'
import { LiveMarket, type LiveMarketDeps } from './live-market.ts'
import type { MarketStream } from './market-streams.ts'
import type { StreamMarket } from './stream-market.ts'

export interface HubDeps extends LiveMarketDeps {
  readonly shardCount: number
}

/** A market is listened to for so long after the last who wanted it, so that whoever comes back finds its last minutes. */
const KEPT_UNUSED_MS = 120_000

/** The markets that somebody wants, and of the bus only the shards that these are in. */
export class Hub {
  readonly feed: ShardFeed
  readonly #deps: HubDeps
  readonly #markets = new Map<string, LiveMarket>()
  readonly #shards = new Map<number, number>()
  readonly #unusedSince = new Map<string, number>()

  constructor(deps: HubDeps) {
    this.#deps = deps
    this.feed = new ShardFeed({ onBatch: (batch) => this.take(batch), onBroken: deps.onTrouble })
  }

  /** Listens to the market from now on, for a while also without a stream. */
  market(market: StreamMarket): LiveMarket {
    const known = this.#markets.get(market.id)
    if (known !== undefined) {
      if (known.streams.size === 0) this.#unusedSince.set(market.id, this.#deps.nowMs())
      return known
    }
    const live = new LiveMarket(market, this.#deps)
    this.#markets.set(market.id, live)
    this.#unusedSince.set(market.id, this.#deps.nowMs())
    const shard = this.#shardOf(market.id)
    this.#shards.set(shard, (this.#shards.get(shard) ?? 0) + 1)
    this.feed.want(shard)
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

  /** Leaves what nobody has wanted for a while. */
  sweep(): void {
    const before = this.#deps.nowMs() - KEPT_UNUSED_MS
    for (const [id, sinceMs] of this.#unusedSince) {
      if (sinceMs > before) continue
      this.#unusedSince.delete(id)
      this.#markets.get(id)?.ring.clear()
      this.#markets.delete(id)
      const shard = this.#shardOf(id)
      const left = (this.#shards.get(shard) ?? 1) - 1
      this.#shards.set(shard, left)
      if (left > 0) continue
      this.#shards.delete(shard)
      this.feed.leave(shard)
    }
  }

  /** Gaps before rows: what explains a hole comes with the row behind it. */
  take(batch: Batch): void {
    for (const { table, bytes } of batch.sections) {
      const reader = new RowReader(bytes)
      while (table === 'gaps' && !reader.isAtEnd) {
        const gap = readGap(reader)
        this.#markets.get(gap.marketId)?.gap(gap)
      }
      while (table === 'trades' && !reader.isAtEnd) {
        const trade = readTrade(reader)
        this.#markets.get(trade.marketId)?.trade(trade)
      }
    }
    for (const { marketId, slot, bytes } of snapshotRows(batch)) {
      this.#markets.get(marketId)?.row(binaryRowOf(bytes, slot))
    }
    for (const { venue, symbol, bytes } of perpRows(batch)) {
      this.#markets.get(perpMarketId(venue, symbol))?.row(perpRowOf(readPerpSnapshot(new RowReader(bytes))))
    }
  }

  #shardOf(marketId: string): number {
    return shardOf(marketId, this.#deps.shardCount)
  }
}

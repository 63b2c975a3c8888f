import { BatchWriter } from '@bookreel/service/bus/batch-writer'
import { rowsSubject } from '@bookreel/service/bus/subjects'
import { mirrorOf } from '@bookreel/service/domain/book'
import type { Market } from '@bookreel/service/domain/market'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { SNAPSHOT_FLAGS, writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import { shardOf } from '@bookreel/service/domain/shards'
import { MADE_UP_INTERVAL_MS } from '../made-up-market.ts'

/** The part of the bus connection that is used. */
export interface Bus {
  publish(subject: string, data: Uint8Array): void
}

export interface Pace {
  readonly ticksPerSecond: number
  readonly seconds: number
  /** Levels of each side of a book. */
  readonly levels: number
}

/** Publishes rows on the bus as a recorder would, at an exact rate. */
export class Feed {
  readonly #bus: Bus
  readonly #markets: readonly Market[]
  readonly #shardCount: number
  readonly #writers = new Map<string, BatchWriter>()
  readonly #rows = new RowWriter()
  #slot: number

  constructor(bus: Bus, markets: readonly Market[], shardCount: number) {
    this.#bus = bus
    this.#markets = markets
    this.#shardCount = shardCount
    this.#slot = Math.floor(Date.now() / MADE_UP_INTERVAL_MS)
  }

  /**
   * Publishes rows of all markets, one slot after another, at a rate in ticks a second. Returns the number of
   * rows; late ticks are published at once, so that none is skipped.
   */
  async run({ ticksPerSecond, seconds, levels }: Pace): Promise<number> {
    const fromMs = performance.now()
    const count = Math.round(ticksPerSecond * seconds)
    for (let tick = 0; tick < count; ) {
      const due = Math.min(count, Math.floor(((performance.now() - fromMs) / 1_000) * ticksPerSecond) + 1)
      for (; tick < due; tick++) this.#publish(levels)
      const waitMs = fromMs + (tick * 1_000) / ticksPerSecond - performance.now()
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)))
    }
    return count * this.#markets.length
  }

  #publish(levels: number): void {
    const slot = this.#slot++
    for (const market of this.#markets) {
      const { id: marketId, captureIntervalMs: intervalMs } = market
      writeSnapshot(this.#rows, snapshotAt(market, slot, levels))
      this.#writerOf(market).addSnapshot(this.#rows.take(), { marketId, slot, intervalMs })
    }
    for (const [shard, writer] of this.#writers) {
      for (const { bytes } of writer.take(slot * MADE_UP_INTERVAL_MS)) this.#bus.publish(rowsSubject(shard), bytes)
    }
  }

  #writerOf({ venue, id }: Market): BatchWriter {
    const shard = shardOf(venue, id, this.#shardCount)
    const known = this.#writers.get(shard) ?? new BatchWriter({ shard, epoch: Date.now() })
    this.#writers.set(shard, known)
    return known
  }
}

function snapshotAt({ id: marketId, captureIntervalMs: intervalMs }: Market, slot: number, levels: number) {
  const atMs = slot * intervalMs
  const level = (price: number) => ({ price, size: 1_000_000 + ((slot * 7_919 + price * 104_729) % 900_000_000) })
  const up = {
    bids: Array.from({ length: levels }, (_, index) => level(4_900 - index * 10)),
    asks: Array.from({ length: levels }, (_, index) => level(5_000 + index * 10)),
  }
  return {
    marketId,
    slot,
    intervalMs,
    capturedAtMs: atMs + 4,
    eventAtMs: atMs - 60,
    receivedAtMs: atMs - 30,
    flags: SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown | SNAPSHOT_FLAGS.mirrored,
    spotPrice: 0,
    spotAgeMs: 0,
    changes: 1,
    up,
    down: mirrorOf(up),
  }
}

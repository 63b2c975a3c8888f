import type { JetStreamClient } from '@nats-io/jetstream'
import { decodeBatch } from '../bus/batch.ts'
import { BatchWriter, type EncodedBatch } from '../bus/batch-writer.ts'
import type { Fence } from '../bus/fence.ts'
import { type GivenUp, Publisher, type PublishLimits } from '../bus/publish.ts'
import { type Gap, readGap, writeGap } from '../domain/rows/gap.ts'
import { perpMarketId, readPerpSnapshot, writePerpSnapshot } from '../domain/rows/perp-snapshot.ts'
import { RowReader, RowWriter } from '../domain/rows/row-binary.ts'
import { writeSnapshot } from '../domain/rows/snapshot.ts'
import { writeTrade } from '../domain/rows/trade.ts'
import { slotTimeMs } from '../domain/slot.ts'
import { LostSlots } from './lost-slots.ts'
import type { TickRows } from './recorder.ts'

export interface ShardPublisherOptions {
  jetstream: JetStreamClient
  shard: number
  epoch: number
  fence: Fence
  nowMs: () => number
  limits: PublishLimits
  maySend: () => boolean
  onAcknowledged(batch: EncodedBatch, latencyMs: number): void
  onGivenUp(cause: GivenUp['cause']): void
}

/** Speaks for one shard: makes bytes of its rows, hands them to the bus, and tells as gaps what the bus never took. */
export class ShardPublisher {
  readonly #options: ShardPublisherOptions
  readonly #batches: BatchWriter
  readonly #publisher: Publisher
  readonly #writer = new RowWriter()
  readonly #lost = new LostSlots()
  #lostGaps = new Map<string, Gap>()
  #acknowledgedTickMs: number | undefined
  #lostSinceMs: number | undefined
  #toldAtTickMs: number | undefined

  constructor(options: ShardPublisherOptions) {
    const { jetstream, shard, epoch, fence, limits, maySend } = options
    this.#options = options
    this.#batches = new BatchWriter({ shard, epoch })
    this.#publisher = new Publisher({
      jetstream,
      shard,
      fence,
      limits,
      maySend,
      onAcknowledged: (batch, { latencyMs }) => {
        this.#acknowledged(batch)
        options.onAcknowledged(batch, latencyMs)
      },
      onGivenUp: (givenUp) => this.#mourn(givenUp),
    })
  }

  /** Up to here everything is safe on the bus: rows, or the records of rows that it never took. */
  get accountedTickMs(): number | undefined {
    if (this.#acknowledgedTickMs === undefined || this.#lostSinceMs === undefined) return this.#acknowledgedTickMs
    return Math.min(this.#acknowledgedTickMs, this.#lostSinceMs - 1)
  }

  get queuedBytes(): number {
    return this.#publisher.queuedBytes
  }

  /** Rejects with `FenceBroken` when another speaks for the shard. */
  run(signal: AbortSignal): Promise<void> {
    return this.#publisher.run(signal)
  }

  say(tickMs: number, { snapshots, gaps, trades, perps }: TickRows): void {
    for (const snapshot of snapshots)
      this.#batches.addSnapshot(
        this.#encode((writer) => writeSnapshot(writer, snapshot)),
        snapshot,
      )
    for (const gap of [...gaps, ...this.#takeLost(tickMs)]) {
      this.#batches.addRow(
        'gaps',
        this.#encode((writer) => writeGap(writer, gap)),
        slotTimeMs(gap.fromSlot, gap.intervalMs),
      )
    }
    for (const trade of trades) {
      this.#batches.addRow(
        'trades',
        this.#encode((writer) => writeTrade(writer, trade)),
        trade.tradedAtMs,
      )
    }
    for (const perp of perps) {
      const atMs = slotTimeMs(perp.slot, perp.intervalMs)
      this.#batches.addRow(
        'perp_snapshots',
        this.#encode((writer) => writePerpSnapshot(writer, perp)),
        atMs,
      )
    }
    for (const batch of this.#batches.take(tickMs)) this.#publisher.publish(batch)
  }

  #encode(write: (writer: RowWriter) => void): Buffer {
    write(this.#writer)
    return this.#writer.take()
  }

  #acknowledged({ tickAtMs }: EncodedBatch): void {
    this.#acknowledgedTickMs = Math.max(this.#acknowledgedTickMs ?? 0, tickAtMs)
    // A tick may have several batches, so its records are all there when the next tick is.
    if (this.#toldAtTickMs !== undefined && tickAtMs > this.#toldAtTickMs) this.#lostSinceMs = undefined
  }

  #takeLost(tickMs: number): Gap[] {
    for (const gap of this.#lost.take(this.#options.nowMs(), 'the bus did not take the rows')) this.#tellAgain(gap)
    const gaps = [...this.#lostGaps.values()]
    this.#lostGaps.clear()
    if (this.#lostSinceMs !== undefined) this.#toldAtTickMs ??= tickMs
    return gaps
  }

  /** Of records with one key the farthest is enough; otherwise a long outage would tell each of them ever more often. */
  #tellAgain(gap: Gap): void {
    const key = `${gap.marketId} ${gap.fromSlot} ${gap.cause} ${gap.kind}`
    const known = this.#lostGaps.get(key)
    if (known === undefined || known.toSlot < gap.toSlot) this.#lostGaps.set(key, gap)
  }

  /** Rows become gaps; gap records that were in the batch are told again. */
  #mourn({ batch, cause }: GivenUp): void {
    const decoded = decodeBatch(batch.bytes)
    for (const entry of decoded.index()) this.#lost.note(entry)
    for (const { table, bytes } of decoded.sections) {
      const reader = new RowReader(bytes)
      while (table === 'gaps' && !reader.isAtEnd) this.#tellAgain(readGap(reader))
      while (table === 'perp_snapshots' && !reader.isAtEnd) {
        const { venue, symbol, slot, intervalMs } = readPerpSnapshot(reader)
        this.#lost.note({ marketId: perpMarketId(venue, symbol), slot, intervalMs })
      }
    }
    this.#lostSinceMs = Math.min(this.#lostSinceMs ?? batch.tickAtMs, batch.tickAtMs)
    this.#toldAtTickMs = undefined
    this.#options.onGivenUp(cause)
  }
}

import type { JetStreamClient } from '@nats-io/jetstream'
import { decodeBatch } from '../bus/batch.ts'
import { BatchWriter, type EncodedBatch } from '../bus/batch-writer.ts'
import type { Fence } from '../bus/fence.ts'
import { type GivenUp, Publisher } from '../bus/publish.ts'
import { type Gap, readGap, writeGap } from '../domain/gap.ts'
import { writePerpSnapshot } from '../domain/perp-snapshot.ts'
import { RowReader, RowWriter } from '../domain/row-binary.ts'
import { slotTimeMs } from '../domain/slot.ts'
import { writeSnapshot } from '../domain/snapshot.ts'
import { writeTrade } from '../domain/trade.ts'
import { LostSlots } from './lost-slots.ts'
import type { TickRows } from './recorder.ts'

export interface ShardVoiceOptions {
  jetstream: JetStreamClient
  shard: number
  epoch: number
  fence: Fence
  nowMs: () => number
  onAcknowledged(batch: EncodedBatch, latencyMs: number): void
  onGivenUp(cause: GivenUp['cause']): void
}

/** Speaks for one shard: makes bytes of its rows, hands them to the bus, and tells as gaps what the bus never took. */
export class ShardVoice {
  /** The last tick that is safe on the bus. */
  acknowledgedTickMs: number | undefined
  readonly #options: ShardVoiceOptions
  readonly #batches: BatchWriter
  readonly #publisher: Publisher
  readonly #writer = new RowWriter()
  readonly #lost = new LostSlots()
  #lostGaps: Gap[] = []

  constructor(options: ShardVoiceOptions) {
    const { jetstream, shard, epoch, fence } = options
    this.#options = options
    this.#batches = new BatchWriter({ shard, epoch })
    this.#publisher = new Publisher({
      jetstream,
      shard,
      fence,
      onAcknowledged: (batch, { latencyMs }) => {
        this.acknowledgedTickMs = Math.max(this.acknowledgedTickMs ?? 0, batch.tickAtMs)
        options.onAcknowledged(batch, latencyMs)
      },
      onGivenUp: (givenUp) => this.#mourn(givenUp),
    })
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
    for (const gap of [...gaps, ...this.#takeLost()]) {
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

  #takeLost(): Gap[] {
    const gaps = [...this.#lostGaps, ...this.#lost.take(this.#options.nowMs(), 'the bus did not take the rows')]
    this.#lostGaps = []
    return gaps
  }

  /** Rows become gaps; gap records that were in the batch are told again. */
  #mourn({ batch, cause }: GivenUp): void {
    const decoded = decodeBatch(batch.bytes)
    for (const entry of decoded.index()) this.#lost.note(entry)
    for (const { table, bytes } of decoded.sections) {
      if (table !== 'gaps') continue
      const reader = new RowReader(bytes)
      while (!reader.isAtEnd) this.#lostGaps.push(readGap(reader))
    }
    this.#options.onGivenUp(cause)
  }
}

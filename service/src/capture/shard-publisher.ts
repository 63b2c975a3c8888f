import type { JetStreamClient } from '@nats-io/jetstream'
import { decodeBatch, rowsIn } from '../bus/batch.ts'
import { BatchWriter, type EncodedBatch } from '../bus/batch-writer.ts'
import type { Fence } from '../bus/fence.ts'
import { type GivenUp, Publisher, type PublishLimits } from '../bus/publish.ts'
import type { Timer } from '../bus/timer.ts'
import { gapSchema, type StoredGap, TRADES_KIND, type TradeGap, writeGap } from '../domain/rows/gap.ts'
import { writePerpContext } from '../domain/rows/perp-context.ts'
import { perpMarketId, perpSnapshotSchema, writePerpSnapshot } from '../domain/rows/perp-snapshot.ts'
import { type PerpTrade, perpTradeSchema, writePerpTrade } from '../domain/rows/perp-trade.ts'
import { writePrice } from '../domain/rows/price.ts'
import { RowWriter } from '../domain/rows/row-binary.ts'
import { type SettlementPrice, settlementPriceSchema, writeSettlementPrice } from '../domain/rows/settlement-price.ts'
import { writeSnapshot } from '../domain/rows/snapshot.ts'
import type { TapeRow } from '../domain/rows/tape-row.ts'
import { writeTrade } from '../domain/rows/trade.ts'
import { slotTimeMs } from '../domain/slot.ts'
import { LostSlots } from './lost-slots.ts'
import type { TickRows } from './tick-rows.ts'

export interface ShardPublisherOptions {
  jetstream: Pick<JetStreamClient, 'publish'>
  shard: string
  epoch: number
  timer?: Timer | undefined
  fence: Fence
  nowMs: () => number
  limits: PublishLimits
  maySend: () => boolean
  onAcknowledged(batch: EncodedBatch, latencyMs: number): void
  onGivenUp(cause: GivenUp['cause']): void
  onPricesLost(count: number): void
  onPerpTradesLost(trades: readonly PerpTrade[]): void
}

/** Encodes and publishes the rows of one shard; rows that could not be published become gap records. */
export class ShardPublisher {
  readonly #options: ShardPublisherOptions
  readonly #batches: BatchWriter
  readonly #publisher: Publisher
  readonly #writer = new RowWriter()
  readonly #lost = new LostSlots()
  #lostGaps = new Map<string, StoredGap>()
  readonly #ifTradesAreLost = new WeakMap<EncodedBatch, readonly TradeGap[]>()
  readonly #lostSettlements: SettlementPrice[] = []
  #acknowledgedTickMs: number | undefined
  #firstTickMs: number | undefined
  #lostSinceMs: number | undefined
  #gapsPublishedAtTickMs: number | undefined

  constructor(options: ShardPublisherOptions) {
    const { jetstream, shard, epoch, fence, timer, limits, maySend } = options
    this.#options = options
    this.#batches = new BatchWriter({ shard, epoch })
    this.#publisher = new Publisher({
      jetstream,
      shard,
      fence,
      timer,
      limits,
      maySend,
      onAcknowledged: (batch, { latencyMs }) => {
        this.#acknowledged(batch)
        options.onAcknowledged(batch, latencyMs)
      },
      onGivenUp: (givenUp) => this.#recordLostBatch(givenUp),
    })
  }

  /** Up to this tick every slot is on the bus, as a row or as the gap record of a lost row. */
  get accountedTickMs(): number | undefined {
    if (this.#acknowledgedTickMs === undefined || this.#lostSinceMs === undefined) return this.#acknowledgedTickMs
    return Math.min(this.#acknowledgedTickMs, this.#lostSinceMs - 1)
  }

  /** The first tick that was published. */
  get firstTickMs(): number | undefined {
    return this.#firstTickMs
  }

  get queuedBytes(): number {
    return this.#publisher.queuedBytes
  }

  /** Rejects with `FenceBroken` when another process has taken the shard. */
  run(signal: AbortSignal): Promise<void> {
    return this.#publisher.run(signal)
  }

  publish(tickMs: number, rows: TickRows): void {
    const { snapshots, gaps, trades, ifTradesAreLost, perps, prices, settlements, tape } = rows
    this.#firstTickMs ??= tickMs
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
    for (const price of prices) {
      this.#batches.addRow(
        'prices',
        this.#encode((writer) => writePrice(writer, price)),
        price.priceAtMs,
      )
    }
    for (const settlement of [...this.#lostSettlements.splice(0), ...settlements]) {
      this.#batches.addRow(
        'settlement_prices',
        this.#encode((writer) => writeSettlementPrice(writer, settlement)),
        settlement.settlesAtMs,
      )
    }
    for (const row of tape) this.#addTape(row)
    for (const batch of this.#batches.take(tickMs)) {
      this.#ifTradesAreLost.set(batch, [...ifTradesAreLost.values()])
      this.#publisher.publish(batch)
    }
  }

  #addTape({ kind, row }: TapeRow): void {
    if (kind === 'trade') {
      const bytes = this.#encode((writer) => writePerpTrade(writer, row))
      this.#batches.addRow('perp_trades', bytes, row.tradedAtMs)
    } else {
      const bytes = this.#encode((writer) => writePerpContext(writer, row))
      this.#batches.addRow('perp_contexts', bytes, row.receivedAtMs)
    }
  }

  #encode(write: (writer: RowWriter) => void): Buffer {
    write(this.#writer)
    return this.#writer.take()
  }

  #acknowledged({ tickAtMs }: EncodedBatch): void {
    this.#acknowledgedTickMs = Math.max(this.#acknowledgedTickMs ?? 0, tickAtMs)
    // A tick may have several batches: its gap records are all stored once a later tick is acknowledged.
    if (this.#gapsPublishedAtTickMs !== undefined && tickAtMs > this.#gapsPublishedAtTickMs)
      this.#lostSinceMs = undefined
  }

  #takeLost(tickMs: number): StoredGap[] {
    for (const gap of this.#lost.take(this.#options.nowMs(), 'the rows could not be published')) this.#keepGap(gap)
    const gaps = [...this.#lostGaps.values()]
    this.#lostGaps.clear()
    if (this.#lostSinceMs !== undefined) this.#gapsPublishedAtTickMs ??= tickMs
    return gaps
  }

  /** Keeps the longest record of each key, so that a long outage does not repeat every shorter one. */
  #keepGap(gap: StoredGap): void {
    // Lost trades of a market are told as one time: every batch between two lost ones is lost, too.
    const isOneTime = gap.kind === TRADES_KIND && gap.cause === 'bus_unavailable'
    const key = `${gap.marketId} ${isOneTime ? '' : gap.fromSlot} ${gap.cause} ${gap.kind}`
    const known = this.#lostGaps.get(key) ?? gap
    const fromSlot = Math.min(known.fromSlot, gap.fromSlot)
    this.#lostGaps.set(key, { ...(known.toSlot < gap.toSlot ? gap : known), fromSlot })
  }

  /** The batch's rows become gaps; its gap records and settlement prices are published again. */
  #recordLostBatch({ batch, cause }: GivenUp): void {
    const decoded = decodeBatch(batch.bytes)
    for (const entry of decoded.index()) this.#lost.note(entry)
    for (const gap of rowsIn(decoded, 'gaps', gapSchema)) this.#keepGap(gap)
    for (const gap of this.#ifTradesAreLost.get(batch) ?? []) this.#keepGap(gap)
    for (const { venue, symbol, slot, intervalMs } of rowsIn(decoded, 'perp_snapshots', perpSnapshotSchema))
      this.#lost.note({ marketId: perpMarketId(venue, symbol), slot, intervalMs })
    this.#lostSettlements.push(...rowsIn(decoded, 'settlement_prices', settlementPriceSchema))
    const prices = decoded.sections.find(({ table }) => table === 'prices')?.rowCount ?? 0
    if (prices > 0) this.#options.onPricesLost(prices)
    this.#options.onPerpTradesLost([...rowsIn(decoded, 'perp_trades', perpTradeSchema)])
    this.#lostSinceMs = Math.min(this.#lostSinceMs ?? batch.tickAtMs, batch.tickAtMs)
    this.#gapsPublishedAtTickMs = undefined
    this.#options.onGivenUp(cause)
  }
}

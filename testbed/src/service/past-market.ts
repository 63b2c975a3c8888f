import { type Ladders, mirrorOf } from '@bookreel/service/domain/book'
import type { Market } from '@bookreel/service/domain/market'
import { type Gap, type StoredGap, writeGap } from '@bookreel/service/domain/rows/gap'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { currentSchema, type RowTable } from '@bookreel/service/domain/rows/row-table'
import { SNAPSHOT_FLAGS, type Snapshot, writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import { type Trade, writeTrade } from '@bookreel/service/domain/rows/trade'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import type { ClickHouseClient } from '@clickhouse/client'
import { WORLD_NOW_MS } from '../world/world-times.ts'
import { marketOf } from './market-facts.ts'
import type { TestService } from './test-service.ts'

export const INTERVAL_MS = 250
export const HOUR_MS = 3_600_000

/** Three hours before the hour of the frozen world, so that it is finished. */
export const PAST_HOUR_MS = Math.floor(WORLD_NOW_MS / HOUR_MS) * HOUR_MS - 3 * HOUR_MS
export const FIRST_SLOT = PAST_HOUR_MS / INTERVAL_MS

/** A market in the past whose rows the test writes itself, slot by slot. */
export class PastMarket {
  readonly market: Market
  readonly #service: TestService
  readonly #firstSlot: number

  private constructor(service: TestService, market: Market, hourMs: number) {
    this.#service = service
    this.#firstSlot = hourMs / INTERVAL_MS
    this.market = market
  }

  static async save(
    service: TestService,
    name: string,
    changed: Partial<Market> = {},
    hourMs = PAST_HOUR_MS,
  ): Promise<PastMarket> {
    const times = { startsAtMs: hourMs, endsAtMs: hourMs + HOUR_MS }
    const market = marketOf(name, { captureIntervalMs: INTERVAL_MS, ...times, ...changed })
    await service.stores.markets.saveListings([{ market, seenAtMs: hourMs }])
    return new PastMarket(service, market, hourMs)
  }

  /** A row with the book of `laddersOf(offset)`, mirrored; offsets count slots from the start of the hour. */
  row(offset: number, changed: Partial<Snapshot> = {}): Snapshot {
    const slot = this.#firstSlot + offset
    const atMs = slot * INTERVAL_MS
    const up = changed.up ?? laddersOf(offset)
    return {
      marketId: this.market.id,
      slot,
      intervalMs: INTERVAL_MS,
      capturedAtMs: atMs + 5,
      eventAtMs: atMs - 100,
      receivedAtMs: atMs - 80,
      flags: SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.mirrored | SNAPSHOT_FLAGS.hasSpot,
      spotPrice: (60_000 + offset) * 100_000_000,
      spotAgeMs: 40,
      changes: 1,
      up,
      down: mirrorOf(up),
      ...changed,
    }
  }

  rows(from: number, to: number): Snapshot[] {
    return Array.from({ length: to - from + 1 }, (_, index) => this.row(from + index))
  }

  gap(from: number, to: number, changed: Partial<Gap> = {}): Gap {
    return {
      marketId: this.market.id,
      fromSlot: this.#firstSlot + from,
      toSlot: this.#firstSlot + to,
      knownAtSlot: this.#firstSlot + from,
      cause: 'disconnected',
      kind: 'missing',
      intervalMs: INTERVAL_MS,
      detail: '',
      ...changed,
    }
  }

  putRows(rows: readonly Snapshot[]): Promise<void> {
    return this.#put('snapshots', rows, writeSnapshot)
  }

  putGaps(gaps: readonly StoredGap[]): Promise<void> {
    return this.#put('gaps', gaps, writeGap)
  }

  putTrades(trades: readonly Trade[]): Promise<void> {
    return this.#put('trades', trades, writeTrade)
  }

  async #put<Row>(table: RowTable, rows: readonly Row[], write: (writer: RowWriter, row: Row) => void): Promise<void> {
    const writer = new RowWriter()
    for (const row of rows) write(writer, row)
    await asWriter(this.#service, (client) =>
      rowInserter(client).insertRaw(table, currentSchema(table), [writer.take()]),
    )
  }
}

/** Runs `work` with a client that can write; the client of the stores is read-only. */
export async function asWriter(
  { config }: TestService,
  work: (client: ClickHouseClient) => Promise<unknown>,
): Promise<void> {
  const client = openClickHouse(config)
  try {
    await work(client)
  } finally {
    await client.close()
  }
}

/** Prices change with the slot, so that no two bars are equal. */
export function laddersOf(offset: number): Ladders {
  const bid = 4_000 + (offset % 100) * 10
  return {
    bids: [
      { price: bid, size: 10_000_000 + offset },
      { price: bid - 100, size: 20_000_000 },
    ],
    asks: [
      { price: bid + 200, size: 5_000_000 },
      { price: bid + 300, size: 7_500_000 },
    ],
  }
}

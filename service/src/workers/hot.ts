import { setTimeout as sleep } from 'node:timers/promises'
import { NEWEST_ROWS, type NewestPerpRow, type NewestRow, type NewestRows } from '../stores/books/newest-rows.ts'
import { PendingRows } from './pending-rows.ts'
import { untilAborted } from './until-aborted.ts'

/** Rows of one message. Their bytes may share the memory of the message, so they are copied. */
export interface HotBatch {
  readonly snapshots: Iterable<NewestRow>
  readonly perps: Iterable<NewestPerpRow>
}

interface HotMeter {
  stored(rows: number): void
  /** Rows that were replaced by newer ones before they were stored. */
  dropped(rows: number): void
  failed(error: unknown): void
}

export interface HotDeps {
  readonly batches: AsyncIterable<HotBatch>
  readonly newestRows: Pick<NewestRows, 'put' | 'putPerps'>
  readonly meter: HotMeter
  /** Default 250. */
  readonly retryAfterMs?: number
}

const RETRY_AFTER_MS = 250
const MAX_MARKETS = 20_000
const MAX_PERPS = 2_000

/**
 * Writes the newest rows to Redis. Reading the bus never waits for Redis: while Redis is slow or unavailable, only
 * the newest rows are kept, and the dropped ones are counted.
 */
export async function runHot(deps: HotDeps, signal: AbortSignal): Promise<void> {
  const snapshots = new PendingRows<NewestRow>(NEWEST_ROWS, MAX_MARKETS)
  const perps = new PendingRows<NewestPerpRow>(1, MAX_PERPS)
  let arrival = Promise.withResolvers<void>()
  let isOver = false

  const read = async (): Promise<void> => {
    try {
      for await (const batch of untilAborted(deps.batches, signal)) {
        const dropped = keep(snapshots, batch.snapshots, ownBytes) + keep(perps, batch.perps, ownBytes)
        if (dropped > 0) deps.meter.dropped(dropped)
        arrival.resolve()
      }
    } finally {
      isOver = true
      arrival.resolve()
    }
  }

  const store = async (): Promise<void> => {
    for (;;) {
      if (snapshots.isEmpty && perps.isEmpty) {
        if (isOver) return
        await arrival.promise
        arrival = Promise.withResolvers()
        continue
      }
      const [rows, perpRows] = [snapshots.takeAll().map(rowOf), perps.takeAll().map(rowOf)]
      try {
        await Promise.all([deps.newestRows.put(rows), deps.newestRows.putPerps(perpRows)])
        deps.meter.stored(rows.length + perpRows.length)
      } catch (error) {
        deps.meter.failed(error)
        const lost = isOver ? rows.length + perpRows.length : keep(snapshots, rows) + keep(perps, perpRows)
        if (lost > 0) deps.meter.dropped(lost)
        await sleep(deps.retryAfterMs ?? RETRY_AFTER_MS, undefined, { signal }).catch(() => {})
      }
    }
  }

  const storing = store()
  try {
    await read()
  } finally {
    await storing
  }
}

type HotRow = NewestRow | NewestPerpRow

function keep<Row extends HotRow>(pending: PendingRows<Row>, rows: Iterable<Row>, prepare = same<Row>): number {
  let dropped = 0
  for (const row of rows) dropped += pending.add(keyOf(row), prepare(row))
  return dropped
}

function keyOf(row: HotRow): string {
  return 'marketId' in row ? row.marketId : `${row.venue}:${row.symbol}`
}

function same<Row>(row: Row): Row {
  return row
}

/** Copies the bytes, so that a waiting row does not keep its whole message in memory. */
function ownBytes<Row extends HotRow>(row: Row): Row {
  return { ...row, bytes: new Uint8Array(row.bytes) }
}

function rowOf<Row>([, row]: [string, Row]): Row {
  return row
}

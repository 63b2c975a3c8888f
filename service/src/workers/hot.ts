import { setTimeout as sleep } from 'node:timers/promises'
import { NEWEST_ROWS, type NewestPerpRow, type NewestRow, type NewestRows } from '../stores/books/newest-rows.ts'
import { PendingRows } from './pending-rows.ts'
import { untilAborted } from './until-aborted.ts'

/** What `hot` needs of one message on the bus. The bytes may be parts of the message: they are copied. */
export interface HotBatch {
  readonly snapshots: Iterable<NewestRow>
  readonly perps: Iterable<NewestPerpRow>
}

interface HotMeter {
  stored(rows: number): void
  /** Rows that never reached the store because newer ones came meanwhile. */
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
const MOST_MARKETS = 20_000
const MOST_PERPS = 2_000

/**
 * Keeps the newest rows in the store of the present. Reading never waits for storing: while the store is slow
 * or away the newest rows wait, older ones are dropped and counted.
 */
export async function runHot(deps: HotDeps, signal: AbortSignal): Promise<void> {
  const snapshots = new PendingRows<NewestRow>(NEWEST_ROWS, MOST_MARKETS)
  const perps = new PendingRows<NewestPerpRow>(1, MOST_PERPS)
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

/** A row that waits must not hold the whole message it came in. */
function ownBytes<Row extends HotRow>(row: Row): Row {
  return { ...row, bytes: new Uint8Array(row.bytes) }
}

function rowOf<Row>([, row]: [string, Row]): Row {
  return row
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Delivery } from '../bus/archive-feed.ts'
import type { RowTable } from '../domain/rows/row-table.ts'
import { type RowInserter, RowsRefused } from '../stores/books/row-inserter.ts'
import type { ArchiveMetrics } from './archive-metrics.ts'

/** The rows of one table in one message. */
export interface Piece {
  delivery: Delivery
  bytes: Uint8Array
  rowCount: number
}

/** Rows of one table, schema and day from many messages, for one insert. */
export interface InsertGroup {
  table: RowTable
  schema: number
  pieces: Piece[]
}

export interface Refusal {
  delivery: Delivery
  table: RowTable
  reason: string
}

export interface InsertDeps {
  rows: RowInserter
  log: Logger
  metrics: ArchiveMetrics
  firstRetryMs: number
  maxRetryMs: number
  /** Stops the retries. */
  stopRetries: AbortSignal
}

/** Inserts the rows and returns the messages that ClickHouse refuses, found by bisection. Retries while ClickHouse is unavailable. */
export async function insertGroup(deps: InsertDeps, group: InsertGroup): Promise<Refusal[]> {
  try {
    await insertWithRetries(deps, group)
    return []
  } catch (error) {
    if (!(error instanceof RowsRefused)) throw error
    const { pieces, table } = group
    const [first] = pieces
    if (first === undefined) return []
    if (pieces.length === 1) return [{ delivery: first.delivery, table, reason: error.message }]
    const middle = pieces.length >>> 1
    const left = await insertGroup(deps, { ...group, pieces: pieces.slice(0, middle) })
    const right = await insertGroup(deps, { ...group, pieces: pieces.slice(middle) })
    return [...left, ...right]
  }
}

async function insertWithRetries(deps: InsertDeps, { table, schema, pieces }: InsertGroup): Promise<void> {
  const { rows, log, metrics, stopRetries } = deps
  const bodies = pieces.map(({ bytes }) => bytes)
  const rowCount = pieces.reduce((sum, piece) => sum + piece.rowCount, 0)
  for (let retryMs = deps.firstRetryMs; ; retryMs = Math.min(retryMs * 2, deps.maxRetryMs)) {
    const stopTimer = metrics.insertSeconds.startTimer({ table })
    try {
      await rows.insertRaw(table, schema, bodies)
      stopTimer()
      metrics.rows.inc({ table }, rowCount)
      return
    } catch (error) {
      if (error instanceof RowsRefused || stopRetries.aborted) throw error
      metrics.outages.inc()
      log.warn({ err: error, table, rowCount, retryMs }, 'insert failed, retrying')
      await sleep(retryMs, undefined, { signal: stopRetries }).catch(() => {})
    }
  }
}

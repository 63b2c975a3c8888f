import type { Config } from '../../../src/config.ts'
import { PERP_INTERVAL_MS } from '../../../src/domain/plan.ts'
import { type PerpSnapshot, writePerpSnapshot } from '../../../src/domain/rows/perp-snapshot.ts'
import { RowWriter } from '../../../src/domain/rows/row-binary.ts'
import { currentSchema } from '../../../src/domain/rows/row-table.ts'
import { rowInserter } from '../../../src/stores/books/row-inserter.ts'
import { openClickHouse } from '../../../src/wiring/engines.ts'
import { archiveContexts, archivePerpTrades, contextRow, perpTradeRow } from '../../http/tape-scene.ts'

/** More than the largest `limit`. */
export const PERP_ROWS = 520

/** Stored books of BTC from two hours ago, before anything was recorded. */
export function madePerpRows(nowMs: number): PerpSnapshot[] {
  const firstSlot = Math.floor((nowMs - 2 * 3_600_000) / PERP_INTERVAL_MS)
  return Array.from({ length: PERP_ROWS }, (_, index) => {
    const slot = firstSlot + index
    const capturedAtMs = slot * PERP_INTERVAL_MS + 3
    const level = (price: number) => ({ price: price * 1_000_000, size: 2_500_000, orders: 3 })
    return {
      venue: 'hyperliquid',
      symbol: 'BTC',
      slot,
      intervalMs: PERP_INTERVAL_MS,
      capturedAtMs,
      eventAtMs: capturedAtMs - 40,
      receivedAtMs: capturedAtMs - 20,
      ladders: { bids: [level(80_000 + index), level(79_999)], asks: [level(81_000 + index)] },
      touch: { bidPrice: 0, bidSize: 0, askPrice: 0, askSize: 0, eventAtMs: 0 },
    }
  })
}

export async function archivePerps(config: Config, rows: readonly PerpSnapshot[]): Promise<void> {
  const client = openClickHouse(config)
  const bytes = rows.map((row) => {
    const writer = new RowWriter()
    writePerpSnapshot(writer, row)
    return writer.take()
  })
  await rowInserter(client).insertRaw('perp_snapshots', currentSchema('perp_snapshots'), bytes)
  await client.close()
}

/** A trade and a context at the time of each book. */
export async function archiveTape(config: Config, rows: readonly PerpSnapshot[]): Promise<void> {
  const times = rows.map(({ capturedAtMs }) => capturedAtMs)
  await archivePerpTrades(
    { config },
    times.map((atMs) => perpTradeRow('BTC', atMs)),
  )
  await archiveContexts(
    { config },
    times.map((atMs) => contextRow('BTC', atMs)),
  )
}

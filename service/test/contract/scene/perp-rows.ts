import type { TestService } from '@bookreel/testbed/service/test-service'
import { PERP_INTERVAL_MS } from '../../../src/domain/plan.ts'
import type { PerpSnapshot } from '../../../src/domain/rows/perp-snapshot.ts'
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

/** A trade and a context at the time of each book. */
export async function archiveTape(service: Pick<TestService, 'config'>, rows: readonly PerpSnapshot[]): Promise<void> {
  const times = rows.map(({ capturedAtMs }) => capturedAtMs)
  await archivePerpTrades(
    service,
    times.map((atMs) => perpTradeRow('BTC', atMs)),
  )
  await archiveContexts(
    service,
    times.map((atMs) => contextRow('BTC', atMs)),
  )
}

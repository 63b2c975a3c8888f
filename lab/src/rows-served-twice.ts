import { snapshotStore } from '@bookreel/service/stores/books/snapshots'
import type { ClickHouseClient } from '@clickhouse/client'

const MAX_MARKETS = 150
const MAX_ROWS = 100_000

/**
 * Reads markets with the store of the service and counts slots that are returned more than once. Repeated inserts leave
 * duplicate rows in the table until they are merged, so the query of the store must remove them.
 */
export async function rowsServedTwice(clickhouse: ClickHouseClient): Promise<number> {
  const answer = await clickhouse.query({
    query: `SELECT concat('0x', lower(hex(market_id))) AS marketId, any(interval_ms) AS intervalMs,
        toString(min(slot)) AS firstSlot, toString(max(slot)) AS lastSlot
      FROM snapshots GROUP BY market_id ORDER BY count() DESC LIMIT ${MAX_MARKETS}`,
    format: 'JSONEachRow',
  })
  const store = snapshotStore(clickhouse)
  let repeated = 0
  for (const { marketId, intervalMs, firstSlot, lastSlot } of await answer.json<{
    marketId: string
    intervalMs: number
    firstSlot: string
    lastSlot: string
  }>()) {
    const span = {
      marketId,
      intervalMs,
      fromMs: Number(firstSlot) * intervalMs,
      toMs: (Number(lastSlot) + 1) * intervalMs,
    }
    const rows = await store.range(span, { order: 'asc', limit: MAX_ROWS })
    repeated += rows.length - new Set(rows.map(({ slot }) => slot)).size
  }
  return repeated
}

import { readConfig } from '@bookreel/service/config'
import { HOUR_MS } from '@bookreel/service/domain/finished-hour'
import { gapSchema, isRowGap } from '@bookreel/service/domain/rows/gap'
import type { RowReader } from '@bookreel/service/domain/rows/row-binary'
import { snapshotSchema } from '@bookreel/service/domain/rows/snapshot'
import { tradeSchema } from '@bookreel/service/domain/rows/trade'
import { correctHour } from '@bookreel/service/stores/books/correct-hour'
import { Corrections } from '@bookreel/service/stores/books/corrections'
import { atParam, columnList, MARKET_PARAM, marketParam, readRows } from '@bookreel/service/stores/books/read-rows'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import type { SimulatedService } from '../simulated-service.ts'
import { withAccess } from './eventful-service.ts'

const MINUTE_MS = 60_000
const REASON = 'capture times of one minute were read again from the raw archive'

/** Changes the last minute of a stored hour, so that the hour has a second revision. */
export async function correctPastHour(service: SimulatedService, marketId: string, hourMs: number): Promise<void> {
  const client = openClickHouse(readConfig(service.environment))
  const stored = <Row>(
    table: string,
    time: string,
    { columns, read }: { columns: readonly (readonly [string, string])[]; read: (reader: RowReader) => Row },
  ): Promise<Row[]> =>
    readRows(client, read, {
      sql: `SELECT ${columnList(columns)} FROM ${table} FINAL WHERE market_id = ${MARKET_PARAM}
        AND ${time} >= ${atParam('fromMs')} AND ${time} < ${atParam('toMs')}`,
      params: { market: marketParam(marketId), fromMs: hourMs, toMs: hourMs + HOUR_MS },
    })
  try {
    const snapshots = await stored('snapshots', 'slot_at', snapshotSchema)
    const gaps = await stored('gaps', 'from_at', gapSchema)
    const trades = await stored('trades', 'traded_at', tradeSchema)
    const correctedFromMs = hourMs + HOUR_MS - MINUTE_MS
    const corrected = snapshots.map((row) =>
      row.capturedAtMs < correctedFromMs ? row : { ...row, capturedAtMs: row.capturedAtMs + 1 },
    )
    const hour = { marketId, hourMs, snapshots: corrected, gaps: gaps.filter(isRowGap), trades }
    await withAccess(service, async ({ database }) => {
      const servers = { clients: [client], form: { kind: 'single' } } as const
      const done = await correctHour(servers, new Corrections(database), hour, REASON)
      if (done === undefined) throw new Error('the past hour has no rows to correct')
    })
  } finally {
    await client.close()
  }
}

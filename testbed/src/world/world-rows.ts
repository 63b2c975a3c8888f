import type { TickRows } from '@bookreel/service/capture/tick-rows'
import { writeGap } from '@bookreel/service/domain/rows/gap'
import { writePerpContext } from '@bookreel/service/domain/rows/perp-context'
import { writePerpSnapshot } from '@bookreel/service/domain/rows/perp-snapshot'
import { writePerpTrade } from '@bookreel/service/domain/rows/perp-trade'
import { writePrice } from '@bookreel/service/domain/rows/price'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { currentSchema, type RowTable } from '@bookreel/service/domain/rows/row-table'
import { writeSettlementPrice } from '@bookreel/service/domain/rows/settlement-price'
import { writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import { writeTrade } from '@bookreel/service/domain/rows/trade'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import type { ClickHouseClient } from '@clickhouse/client'

/** The rows of each table in the bytes that the archive stores; snapshots last. */
export type EncodedRows = ReadonlyMap<RowTable, Uint8Array>

export function encodeRows(ticks: readonly TickRows[]): EncodedRows {
  const tape = ticks.flatMap((tick) => tick.tape)
  const perpTrades = tape.flatMap((each) => (each.kind === 'trade' ? [each.row] : []))
  const perpContexts = tape.flatMap((each) => (each.kind === 'context' ? [each.row] : []))
  const all = <Row>(rowsOf: (tick: TickRows) => Row[], write: Write<Row>): Uint8Array =>
    encode(ticks.flatMap(rowsOf), write)
  return new Map<RowTable, Uint8Array>([
    ['gaps', all(({ gaps }) => gaps, writeGap)],
    ['trades', all(({ trades }) => trades, writeTrade)],
    ['perp_snapshots', all(({ perps }) => perps, writePerpSnapshot)],
    ['prices', all(({ prices }) => prices, writePrice)],
    ['settlement_prices', all(({ settlements }) => settlements, writeSettlementPrice)],
    ['perp_trades', encode(perpTrades, writePerpTrade)],
    ['perp_contexts', encode(perpContexts, writePerpContext)],
    ['snapshots', all(({ snapshots }) => snapshots, writeSnapshot)],
  ])
}

/** All rows of a table are one insert. */
export async function insertRows(clickhouse: ClickHouseClient, rows: EncodedRows): Promise<void> {
  const inserter = rowInserter(clickhouse)
  for (const [table, bytes] of rows)
    if (bytes.length > 0) await inserter.insertRaw(table, currentSchema(table), [bytes])
}

type Write<Row> = (writer: RowWriter, row: Row) => void

function encode<Row>(rows: readonly Row[], write: Write<Row>): Uint8Array {
  const writer = new RowWriter()
  for (const row of rows) write(writer, row)
  return writer.take()
}

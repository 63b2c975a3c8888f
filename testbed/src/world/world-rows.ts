import type { TickRows } from '@bookreel/service/capture/tick-rows'
import { writeGap } from '@bookreel/service/domain/rows/gap'
import { writePerpContext } from '@bookreel/service/domain/rows/perp-context'
import { writePerpSnapshot } from '@bookreel/service/domain/rows/perp-snapshot'
import { writePerpTrade } from '@bookreel/service/domain/rows/perp-trade'
import { writePrice } from '@bookreel/service/domain/rows/price'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import type { RowTable } from '@bookreel/service/domain/rows/row-table'
import { writeSettlementPrice } from '@bookreel/service/domain/rows/settlement-price'
import { writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import { writeTrade } from '@bookreel/service/domain/rows/trade'

/** The rows of each table in the bytes that the archive stores. */
export type EncodedRows = ReadonlyMap<RowTable, Uint8Array>

export function encodeRows(ticks: readonly TickRows[]): EncodedRows {
  const tape = ticks.flatMap((tick) => tick.tape)
  return new Map<RowTable, Uint8Array>([
    [
      'snapshots',
      encode(
        ticks.flatMap(({ snapshots }) => snapshots),
        writeSnapshot,
      ),
    ],
    [
      'gaps',
      encode(
        ticks.flatMap(({ gaps }) => gaps),
        writeGap,
      ),
    ],
    [
      'trades',
      encode(
        ticks.flatMap(({ trades }) => trades),
        writeTrade,
      ),
    ],
    [
      'perp_snapshots',
      encode(
        ticks.flatMap(({ perps }) => perps),
        writePerpSnapshot,
      ),
    ],
    [
      'prices',
      encode(
        ticks.flatMap(({ prices }) => prices),
        writePrice,
      ),
    ],
    [
      'settlement_prices',
      encode(
        ticks.flatMap(({ settlements }) => settlements),
        writeSettlementPrice,
      ),
    ],
    [
      'perp_trades',
      encode(
        tape.flatMap((each) => (each.kind === 'trade' ? [each.row] : [])),
        writePerpTrade,
      ),
    ],
    [
      'perp_contexts',
      encode(
        tape.flatMap((each) => (each.kind === 'context' ? [each.row] : [])),
        writePerpContext,
      ),
    ],
  ])
}

function encode<Row>(rows: readonly Row[], write: (writer: RowWriter, row: Row) => void): Uint8Array {
  const writer = new RowWriter()
  for (const row of rows) write(writer, row)
  return writer.take()
}

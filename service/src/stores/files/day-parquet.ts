import type { Readable } from 'node:stream'
import { DAY_MS, type DayMarket } from '../../domain/day-file.ts'
import type { Proof } from '../../domain/proof.ts'
import { SAME_BYTES } from '../books/hour-files.ts'
import { atParam } from '../books/read-rows.ts'
import { tokenMembersSql } from '../books/token-rows-sql.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import type { MarketSlots } from './day-accounts.ts'
import { IN_MARKETS, marketsParam } from './day-markets.ts'

export interface DayRows {
  /** Sorted by id. */
  readonly markets: readonly DayMarket[]
  readonly dayMs: number
  /** Of the venue of all markets. */
  readonly proof: Proof
  /** Slots whose rows are in doubt. */
  readonly suspect: readonly MarketSlots[]
}

const HEX = 'lower(hex(market_id))'
const PLACE = `transform(${HEX}, {markets:Array(String)}, {places:Array(UInt64)}, toUInt64(0))`

/** A set of slots is looked up once per row, however many gaps there are. */
const SUSPECT_SLOTS = `
  SELECT tupleElement(doubt, 1), arrayJoin(range(tupleElement(doubt, 2), tupleElement(doubt, 3) + 1))
  FROM (
    SELECT arrayJoin(
      arrayZip({suspectPlace:Array(UInt64)}, {suspectFrom:Array(UInt64)}, {suspectTo:Array(UInt64)})
    ) AS doubt
  )`

/**
 * The rows come in the order of the primary key, one block after the other in one thread; sorting them once more
 * would need memory for the whole file.
 */
const QUERY = tokenMembersSql(
  {
    conditionId: `concat('0x', ${HEX})`,
    upTokenId: `transform(${HEX}, {markets:Array(String)}, {upTokens:Array(String)}, '')`,
    downTokenId: `transform(${HEX}, {markets:Array(String)}, {downTokens:Array(String)}, '')`,
    isSuspect: `(${PLACE}, slot) IN (${SUSPECT_SLOTS})`,
  },
  true,
  `FROM (
      SELECT * FROM snapshots
      WHERE ${IN_MARKETS} AND slot_at >= ${atParam('fromMs')} AND slot_at < ${atParam('toMs')}
      ORDER BY market_id, slot LIMIT 1 BY market_id, slot
    )
    ARRAY JOIN [0, 1] AS outcome`,
)

/** Larger groups than in the file of an hour, so that a remote reader needs fewer requests. */
const GROUP_ROWS = '100000'

/** The Parquet file of all rows of the markets on a day, by market and slot. The same rows always give the same bytes. */
export async function dayParquet(
  client: ClickHouseReads,
  { markets, dayMs, proof, suspect }: DayRows,
  signal: AbortSignal,
): Promise<Readable> {
  const places = new Map(markets.map(({ marketId }, index) => [marketId, index + 1]))
  const { stream } = await client.exec({
    query: `${QUERY} FORMAT Parquet`,
    query_params: {
      markets: marketsParam(markets.map(({ marketId }) => marketId)),
      places: [...places.values()],
      upTokens: markets.map(({ tokenIds }) => tokenIds[0]),
      downTokens: markets.map(({ tokenIds }) => tokenIds[1]),
      proof,
      fromMs: dayMs,
      toMs: dayMs + DAY_MS,
      suspectPlace: suspect.map(({ marketId }) => places.get(marketId) ?? 0),
      suspectFrom: suspect.map(({ fromSlot }) => fromSlot),
      suspectTo: suspect.map(({ toSlot }) => toSlot),
    },
    clickhouse_settings: {
      ...SAME_BYTES,
      output_format_parquet_row_group_size: GROUP_ROWS,
      query_plan_remove_redundant_sorting: 0,
    },
    abort_signal: signal,
  })
  return stream
}

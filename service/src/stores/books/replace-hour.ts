import { buffer } from 'node:stream/consumers'
import type { ClickHouseClient } from '@clickhouse/client'
import { HOUR_MS } from '../../domain/finished-hour.ts'
import type { KeptTimes } from '../../domain/kept-times.ts'
import { gapSchema, type StoredGap } from '../../domain/rows/gap.ts'
import { RowWriter } from '../../domain/rows/row-binary.ts'
import type { RowSchema } from '../../domain/rows/row-schema.ts'
import { type Snapshot, snapshotSchema } from '../../domain/rows/snapshot.ts'
import { type Trade, tradeSchema } from '../../domain/rows/trade.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { type ClickHouseForm, localTable, onCluster } from '../engines/clickhouse-form.ts'
import { atParam, columnList, MARKET_PARAM, marketParam } from './read-rows.ts'
import { rowInserter } from './row-inserter.ts'

/** All rows of one market in an hour, or in a part of it: snapshots by slot time, trades by trade time, gaps by the time of their start. */
export interface HourRows {
  readonly marketId: string
  readonly hourMs: number
  /** The part; left out, from the start and to the end of the hour. */
  readonly fromMs?: number
  readonly toMs?: number
  readonly snapshots: readonly Snapshot[]
  readonly gaps: readonly StoredGap[]
  readonly trades: readonly Trade[]
  readonly kept?: KeptTimes
}

/** How many rows are added, removed or changed. */
export interface HourChanges {
  readonly snapshots: number
  readonly gaps: number
  readonly trades: number
}

export interface ReplacingServers {
  /** The first is used for everything but deletions. One per shard. */
  readonly clients: readonly ClickHouseClient[]
  readonly form: ClickHouseForm
}

/** The difference between the stored hour and another one. */
export interface HourDifference {
  readonly changes: HourChanges
  /** Makes the stored hour equal to the other one; safe to repeat after a failure, with a new comparison. */
  readonly apply: () => Promise<void>
}

/** Rows are text of one character per byte, which can be compared and put into sets. */
interface TableDifference {
  readonly table: HourTable
  readonly schema: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
  readonly wanted: readonly string[]
}

const TIMES = { snapshots: 'slot_at', gaps: 'from_at', trades: 'traded_at' } as const
type HourTable = keyof typeof TIMES
/** From the start of a row to its end, in milliseconds. */
const SPANS: Readonly<Record<HourTable, string>> = {
  snapshots: 'toUnixTimestamp64Milli(slot_at), toUnixTimestamp64Milli(slot_at) + 1',
  gaps: 'toInt64(from_slot * interval_ms), toInt64((to_slot + 1) * interval_ms)',
  trades: 'toUnixTimestamp64Milli(traded_at), toUnixTimestamp64Milli(traded_at) + 1',
}

/** Readers take any copy of a row, so old copies must be invisible before new ones are inserted. */
const DELETED_AT_ONCE = { lightweight_deletes_sync: '2', max_query_size: '10000000' } as const
const SLOT_OFFSET = snapshotSchema.offsetOf('slot')
const RECEIVED_OFFSET = tradeSchema.offsetOf('received_at')
const INT64_BYTES = 8

/** Compares the stored hour with these rows, byte for byte, and changes nothing yet. */
export async function compareHour(servers: ReplacingServers, hour: HourRows): Promise<HourDifference> {
  const client = firstOf(servers)
  const snapshots = await differenceOf(client, hour, 'snapshots', snapshotSchema, hour.snapshots)
  const gaps = await differenceOf(client, hour, 'gaps', gapSchema, widestGaps(hour.gaps))
  const trades = await differenceOf(client, hour, 'trades', tradeSchema, hour.trades)
  return {
    changes: { snapshots: sizeOf(snapshots), gaps: sizeOf(gaps), trades: sizeOf(trades) },
    async apply() {
      for (const each of [snapshots, gaps, trades]) await replaceRows(servers, hour, each)
      await countDayAgain(servers, hour)
    },
  }
}

async function differenceOf<Row>(
  client: ClickHouseClient,
  hour: HourRows,
  table: HourTable,
  schema: RowSchema<Row>,
  rows: readonly Row[],
): Promise<TableDifference> {
  // A copy of a gap that is shorter than another is never read.
  const newest =
    table === 'gaps' ? 'ORDER BY from_slot, cause, kind, to_slot DESC LIMIT 1 BY from_slot, cause, kind' : ''
  const { stream } = await client.exec({
    query: `SELECT ${columnList(schema.columns)}, ${SPANS[table]} FROM ${table} WHERE ${ofHour(table)} ${newest} FORMAT RowBinary`,
    query_params: hourParams(hour),
    clickhouse_settings: { wait_end_of_query: 1 },
  })
  const stored = new Map(splitRows(schema, await buffer(stream)).map((each) => [keyOf(table, each.row), each]))
  const wanted = new Map(rows.map((row) => bytesOf(schema, row)).map((row) => [keyOf(table, row), row]))
  const added = [...wanted].flatMap(([key, row]) => (stored.has(key) ? [] : [row]))
  for (const [key, { row, ...span }] of stored)
    if (!wanted.has(key) && isKept(hour.kept, table, span)) wanted.set(key, row)
  return {
    table,
    schema: schema.current,
    removed: [...stored].flatMap(([key, { row }]) => (wanted.has(key) ? [] : [row])),
    added,
    wanted: [...wanted.values()],
  }
}

/** A trade that arrived twice is stored once, with one of its two times of receipt. */
function keyOf(table: HourTable, row: string): string {
  if (table !== 'trades') return row
  return row.slice(0, RECEIVED_OFFSET) + row.slice(RECEIVED_OFFSET + INT64_BYTES)
}

/** Whether a stored row stays that was not produced again. */
function isKept(kept: KeptTimes | undefined, table: HourTable, { fromMs, toMs }: TimeRange): boolean {
  if (kept === undefined) return false
  // Rows after the range are not produced again, so a gap that reaches there still stands.
  if (table === 'gaps' && toMs > kept.rangeEndMs) return true
  const times = table === 'snapshots' ? kept.snapshots : kept.others
  return times.some((each) => fromMs < each.toMs && toMs > each.fromMs)
}

function sizeOf({ removed, added }: TableDifference): number {
  return Math.max(removed.length, added.length)
}

/** Of snapshots only the changed slots; gaps and trades are few, so those of the whole hour. */
async function replaceRows(servers: ReplacingServers, hour: HourRows, difference: TableDifference): Promise<void> {
  const { table, schema, removed, added, wanted } = difference
  const slots = removed.map((row) => Buffer.from(row, 'latin1').readBigUInt64LE(SLOT_OFFSET))
  const some = table === 'snapshots' ? ` AND slot IN (${slots.join(', ')})` : ''
  if (removed.length > 0) await deleteRows(servers, hour, table, `${ofHour(table)}${some}`)
  const inserted = removed.length > 0 && table !== 'snapshots' ? wanted : added
  if (inserted.length > 0)
    await rowInserter(firstOf(servers)).insertRaw(table, schema, [Buffer.from(inserted.join(''), 'latin1')])
}

/** The counts of the day follow inserts by themselves, but not deletions. */
async function countDayAgain(servers: ReplacingServers, hour: HourRows): Promise<void> {
  const client = firstOf(servers)
  const day = `market_id = ${MARKET_PARAM} AND slot_at >= toStartOfDay(${FROM}) AND slot_at < toStartOfDay(${FROM}) + INTERVAL 1 DAY`
  const counted = `market_id = ${MARKET_PARAM} AND day = toDate(${FROM})`
  const result = await client.query({
    query: `SELECT (SELECT uniqExact(slot) FROM snapshots WHERE ${day}) AS stored,
      (SELECT toUInt64(groupBitmapMerge(day_slots)) FROM market_days WHERE ${counted}) AS told`,
    query_params: hourParams(hour),
    format: 'JSONEachRow',
  })
  const [{ stored, told } = { stored: '', told: '' }] = await result.json<{ stored: string; told: string }>()
  if (stored === told) return
  await deleteRows(servers, hour, 'market_days', counted)
  await client.command({
    query: `INSERT INTO market_days
      SELECT market_id, toDate(slot_at) AS day, interval_ms, min(slot), max(slot),
        groupBitmapState(toUInt32(intDiv(toUnixTimestamp64Milli(slot_at) % 86400000, interval_ms)))
      FROM snapshots WHERE ${day} GROUP BY market_id, day, interval_ms`,
    query_params: hourParams(hour),
    clickhouse_settings: { distributed_foreground_insert: 1 },
  })
}

async function deleteRows(
  { clients, form }: ReplacingServers,
  hour: HourRows,
  table: HourTable | 'market_days',
  condition: string,
): Promise<void> {
  // ON CLUSTER reaches all servers; without it each shard is told.
  for (const client of form.kind === 'replicated' ? clients.slice(0, 1) : clients)
    await client.command({
      query: `DELETE FROM ${localTable(form, table)} ${onCluster(form)} WHERE ${condition}`,
      query_params: hourParams(hour),
      clickhouse_settings: DELETED_AT_ONCE,
    })
}

const FROM = atParam('fromMs')

function ofHour(table: HourTable): string {
  const time = TIMES[table]
  return `market_id = ${MARKET_PARAM} AND ${time} >= ${FROM} AND ${time} < ${atParam('toMs')}`
}

function hourParams({ marketId, hourMs, fromMs = hourMs, toMs = hourMs + HOUR_MS }: HourRows) {
  return { market: marketParam(marketId), fromMs, toMs }
}

function firstOf({ clients: [client] }: ReplacingServers): ClickHouseClient {
  if (client === undefined) throw new Error('no ClickHouse server is given')
  return client
}

/** A gap that grows is told again with a later end; the last one counts. */
function widestGaps(gaps: readonly StoredGap[]): StoredGap[] {
  const widest = new Map<string, StoredGap>()
  for (const gap of gaps) {
    const key = `${gap.fromSlot} ${gap.cause} ${gap.kind}`
    if ((widest.get(key)?.toSlot ?? -1) <= gap.toSlot) widest.set(key, gap)
  }
  return [...widest.values()]
}

/** Each row with the time from its start to its end, which follows it. */
function splitRows<Row>(schema: RowSchema<Row>, bytes: Buffer): (TimeRange & { readonly row: string })[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rows: (TimeRange & { readonly row: string })[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = schema.end(view, at)
    const [fromMs, toMs] = [view.getBigInt64(end, true), view.getBigInt64(end + INT64_BYTES, true)]
    rows.push({ row: bytes.toString('latin1', at, end), fromMs: Number(fromMs), toMs: Number(toMs) })
    at = end + 2 * INT64_BYTES
  }
  return rows
}

function bytesOf<Row>(schema: RowSchema<Row>, row: Row): string {
  const writer = new RowWriter(1_024)
  schema.write(writer, row)
  return Buffer.from(writer.take()).toString('latin1')
}

import { DAY_MS } from '../../domain/day-file.ts'
import { readRows } from '../books/read-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'

/** A table that is partitioned by the day of a column. */
export interface TableOfDays {
  readonly table: string
  readonly time: string
}

/** Days before this one with rows. ClickHouse knows them by their partitions and reads no row. */
export async function daysWithRows(
  client: ClickHouseReads,
  { table, time }: TableOfDays,
  beforeDayMs: number,
): Promise<number[]> {
  const days = await readRows(client, (reader) => reader.uint32(), {
    sql: `SELECT toYYYYMMDD(${time}) AS day FROM ${table} GROUP BY day HAVING count() > 0`,
    params: {},
  })
  return days.map(startOf).filter((dayMs) => dayMs + DAY_MS <= beforeDayMs)
}

function startOf(day: number): number {
  return Date.UTC(Math.floor(day / 10_000), Math.floor((day % 10_000) / 100) - 1, day % 100)
}

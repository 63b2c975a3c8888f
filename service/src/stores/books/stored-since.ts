import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { KeptAnswers } from '../platform/kept-answers.ts'
import { readRows } from './read-rows.ts'

const DAY_MS = 86_400_000

export const FIRST_KEPT_DAY = `(
  SELECT toDate(toUInt16(if(kept = 0, 0, greatest(0, toInt64(toDate(now('UTC'))) - kept + 1))))
  FROM (SELECT toInt64(argMax(days, set_at)) AS kept FROM retention WHERE table_name = 'snapshots')
)`

/** A day of `market_days` whose rows are all kept. Deleting is late, so the setting decides and not what is still there. */
export const IS_KEPT_DAY = `day >= ${FIRST_KEPT_DAY}`

export type KeptTable = 'snapshots' | 'gaps' | 'trades' | 'perp_snapshots' | 'perp_trades' | 'perp_contexts' | 'prices'

/** From when on all rows of a table are kept. */
export class StoredSince {
  readonly #client: ClickHouseReads
  readonly #cache = new KeptAnswers<ReadonlyMap<string, number>>({ freshForMs: 60_000, most: 1 })

  constructor(client: ClickHouseReads) {
    this.#client = client
  }

  /** 0 when rows are kept for ever. */
  async of(table: KeptTable, nowMs: number): Promise<number> {
    const days = (await this.#cache.get('days', nowMs, () => this.#read())).get(table) ?? 0
    return days === 0 ? 0 : (Math.floor(nowMs / DAY_MS) - days + 1) * DAY_MS
  }

  async #read(): Promise<ReadonlyMap<string, number>> {
    const rows = await readRows(this.#client, (reader): [string, number] => [reader.string(), reader.uint64()], {
      sql: 'SELECT toString(table_name), toUInt64(argMax(days, set_at)) FROM retention GROUP BY table_name',
      params: {},
    })
    return new Map(rows)
  }
}

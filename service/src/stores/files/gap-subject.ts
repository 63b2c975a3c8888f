import type { GapCount } from '../../domain/day-file.ts'
import type { StoredGap } from '../../domain/rows/gap.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import { slotCount } from '../../domain/slot-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { countByCause } from './day-accounts.ts'
import { dayParquet } from './day-parquet.ts'
import { type DayAccount, type FileSubject, hasMarkets } from './file-subject.ts'

/** The gap records of a market or perp on a day. */
export interface ListedGaps {
  /** Null for a perp. */
  readonly marketId: string | null
  /** Null for other categories than crypto. */
  readonly coin: string | null
  readonly gaps: readonly StoredGap[]
}

export interface VenueDay {
  readonly venue: string
  readonly dayMs: number
  /** Markets of the venue on the day, with and without gap records. */
  readonly marketIds: readonly string[]
  /** In the order of the file. */
  readonly read: (client: ClickHouseReads, signal: AbortSignal) => AsyncIterable<ListedGaps>
}

const STRUCTURE =
  'market_id Nullable(String), coin Nullable(String), first_slot Int64, last_slot Int64, slots Int64, from_ms Int64, to_ms Int64, cause String, kind String, known_ms Int64, interval_ms Int64, detail String'
const instant = (column: string) => `fromUnixTimestamp64Milli(${column}, 'UTC')`
const QUERY = `
  SELECT {venue:String} AS venue, market_id, coin, first_slot, last_slot, slots,
    ${instant('from_ms')} AS "from", ${instant('to_ms')} AS "to", cause, kind, ${instant('known_ms')} AS known_at,
    interval_ms AS capture_interval_ms, detail
  FROM gap_rows`

/** The gap records of a venue, by market and slot. */
export function gapSubject({ venue, dayMs, marketIds, read }: VenueDay): FileSubject {
  const subject: FileSubject = {
    name: `${venue}-gaps`,
    kind: 'gaps',
    ...{ venue, category: '', coin: '', timeframe: '' },
    marketIds,
    dayMs,
    account: (client, signal) => accountOf(read(client, signal), dayMs),
    parquet(client, signal) {
      const lines = () => linesOf(read(client, signal))
      const sent = { table: 'gap_rows', structure: STRUCTURE, lines }
      return dayParquet(client, { sql: QUERY, params: { venue }, sent }, signal)
    },
    async isIn(made, client, signal) {
      if (!hasMarkets(subject, made)) return false
      const { rows, gaps } = await subject.account(client, signal)
      return rows === made.rows && textOf(gaps) === textOf(made.gaps)
    },
  }
  return subject
}

/** The other files of the day are complete by then, so every slot without a row has its gap record. */
async function accountOf(all: AsyncIterable<ListedGaps>, dayMs: number): Promise<DayAccount> {
  let [rows, firstAtMs, lastAtMs] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const counts: GapCount[] = []
  for await (const { gaps } of all) {
    rows += gaps.length
    for (const { fromSlot, toSlot, intervalMs } of gaps) {
      firstAtMs = Math.min(firstAtMs, slotTimeMs(fromSlot, intervalMs))
      lastAtMs = Math.max(lastAtMs, slotTimeMs(toSlot, intervalMs))
    }
    addCounts(counts, countByCause(gaps))
  }
  const times = rows === 0 ? { firstAtMs: dayMs, lastAtMs: dayMs } : { firstAtMs, lastAtMs }
  const gaps = counts.toSorted((one, other) => (`${one.kind} ${one.cause}` < `${other.kind} ${other.cause}` ? -1 : 1))
  return { rows, ...times, isComplete: true, gaps }
}

function addCounts(sums: GapCount[], counts: readonly GapCount[]): void {
  for (const count of counts) {
    const at = sums.findIndex(({ cause, kind }) => cause === count.cause && kind === count.kind)
    const sum = sums[at]
    if (sum === undefined) sums.push(count)
    else sums[at] = { ...sum, gaps: sum.gaps + count.gaps, slots: sum.slots + count.slots }
  }
}

/** PostgreSQL returns the members in another order. */
function textOf(gaps: readonly GapCount[]): string {
  return gaps.map((each) => `${each.kind} ${each.cause} ${each.gaps} ${each.slots}`).join('\n')
}

async function* linesOf(all: AsyncIterable<ListedGaps>): AsyncGenerator<string> {
  for await (const { marketId, coin, gaps } of all) {
    let text = ''
    for (const gap of gaps.toSorted(inOrder)) text += `${JSON.stringify(rowOf(gap, marketId, coin))}\n`
    yield text
  }
}

/** The order of the list of gaps of a market. */
function inOrder(one: StoredGap, other: StoredGap): number {
  return (
    one.fromSlot - other.fromSlot ||
    compare(one.kind, other.kind) ||
    compare(one.cause, other.cause) ||
    one.knownAtSlot - other.knownAtSlot
  )
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

function rowOf(gap: StoredGap, marketId: string | null, coin: string | null) {
  const { fromSlot, toSlot, knownAtSlot, intervalMs, cause, kind, detail } = gap
  return {
    market_id: marketId,
    coin,
    first_slot: fromSlot,
    last_slot: toSlot,
    slots: slotCount(gap),
    from_ms: slotTimeMs(fromSlot, intervalMs),
    to_ms: slotTimeMs(toSlot + 1, intervalMs),
    cause,
    kind,
    known_ms: slotTimeMs(knownAtSlot, intervalMs),
    interval_ms: intervalMs,
    detail,
  }
}

import { shardOf } from '@bookreel/service/domain/shards'
import type { Range } from '../recorded-range.ts'
import type { RecordingService } from '../recording-service.ts'
import { type Kill, SHARDS } from './kill.ts'

interface RecordedGap {
  readonly market: string
  readonly cause: string
  readonly intervalMs: number
  readonly fromMs: number
  readonly toMs: number
}

export async function gapsByCause(
  { clickhouse }: RecordingService,
  range: Range,
): Promise<{ cause: string; slots: number; longestMs: number }[]> {
  const gaps = await gapsIn(clickhouse, range)
  return [...Map.groupBy(gaps, ({ cause }) => cause)].map(([cause, of]) => ({
    cause,
    slots: slotsOf(of),
    longestMs: Math.max(...of.map(({ fromMs, toMs }) => toMs - fromMs)),
  }))
}

/** Slots without a recorder, during kills, in shards that the killed recorder did not have. */
export async function lostElsewhere({ clickhouse }: RecordingService, kills: readonly Kill[]): Promise<number> {
  let slots = 0
  for (const { atMs, backMs, shards } of kills) {
    const gaps = await gapsIn(clickhouse, { fromMs: atMs - 2_000, toMs: backMs })
    const isElsewhere = (market: string): boolean => !shards.includes(shardOf('polymarket', market, SHARDS))
    slots += slotsOf(gaps.filter(({ cause, market }) => cause === 'capturer_down' && isElsewhere(market)))
  }
  return slots
}

/** Gaps without rows that begin in the range. */
async function gapsIn(clickhouse: RecordingService['clickhouse'], { fromMs, toMs }: Range): Promise<RecordedGap[]> {
  const answer = await clickhouse.query({
    query: `SELECT concat('0x', lower(hex(market_id))) AS market, cause, interval_ms AS intervalMs,
        from_slot * interval_ms AS fromMs, (max(to_slot) + 1) * interval_ms AS toMs
      FROM gaps WHERE kind = 'missing' AND from_slot * interval_ms BETWEEN {fromMs:Int64} AND {toMs:Int64}
        AND NOT startsWith(market_id, 'perp:')
      GROUP BY market_id, cause, interval_ms, from_slot`,
    query_params: { fromMs, toMs },
    format: 'JSONEachRow',
  })
  const rows = await answer.json<Record<keyof RecordedGap, string | number>>()
  return rows.map(({ market, cause, intervalMs, ...times }) => ({
    market: String(market),
    cause: String(cause),
    intervalMs: Number(intervalMs),
    fromMs: Number(times.fromMs),
    toMs: Number(times.toMs),
  }))
}

function slotsOf(gaps: readonly Pick<RecordedGap, 'fromMs' | 'toMs' | 'intervalMs'>[]): number {
  return gaps.reduce((sum, { fromMs, toMs, intervalMs }) => sum + Math.round((toMs - fromMs) / intervalMs), 0)
}

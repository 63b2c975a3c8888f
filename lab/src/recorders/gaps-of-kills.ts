import { shardOf } from '@bookreel/service/domain/shards'
import type { Range } from '../recorded-range.ts'
import type { RecordingService } from '../recording-service.ts'
import { slotsOf } from '../venues/explain-gaps.ts'
import { gapsIn } from '../venues/recorded-gaps.ts'
import { type Kill, SHARDS } from './kill.ts'

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

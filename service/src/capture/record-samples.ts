import { shardOf, shardsOf } from '../domain/shards.ts'
import type { PriceBoard } from './price-board.ts'
import { Recorder } from './recorder.ts'
import type { ResumedShard } from './resumed-shard.ts'
import type { SampledMarket } from './sampled-market.ts'
import type { SamplingClock } from './sampling-clock.ts'
import { ShardKeeper, type ShardKeeperDeps, type ShardRecording } from './shard-keeper.ts'
import { Ticks } from './ticks.ts'

export interface RecordSamplesDeps extends Omit<ShardKeeperDeps, 'recording' | 'shards'> {
  clock: SamplingClock
  /** The group of shards: a venue, or `prices`. */
  group: string
  shardCount: number
  /** At each of these intervals the shards are told to be recorded, also without rows. */
  intervalMs: number
  markets: readonly SampledMarket[]
  prices?: Pick<PriceBoard, 'takeRows'>
}

/** Rows of whole books and prices, which need no other input than the newest state in memory. */
export async function recordSamples(deps: RecordSamplesDeps, signal: AbortSignal): Promise<void> {
  const { clock, group, shardCount, intervalMs, markets, prices } = deps
  const recorder = new Recorder({
    nowMs: () => clock.nowMs(),
    shardOf: (id) => shardOf(group, id, shardCount),
    publish: (shard, tickMs, rows) => keeper.publish(shard, tickMs, rows),
  })
  const keeper = new ShardKeeper({ ...deps, shards: shardsOf(group, shardCount), recording: recordingOf(recorder) })
  for (const market of markets) recorder.add(market)
  clock.onMovedAhead(() => recorder.clockStepped())
  const ticks = new Ticks(clock, new Set([intervalMs]), (tickMs, intervalsMs) => {
    for (const price of prices?.takeRows() ?? []) recorder.price(price)
    recorder.tick(tickMs, intervalsMs)
  })
  await Promise.all([keeper.run(signal), ticks.run(signal)])
}

function recordingOf(recorder: Recorder): ShardRecording {
  return {
    hold: (shard, _epoch, resumed: ResumedShard | undefined) => recorder.hold(shard, resumed),
    leave: (shard) => recorder.leave(shard),
    markSaved: (shard, marketIds) => recorder.markSaved(shard, marketIds),
    marketIdsOf: (shard) => recorder.marketIdsOf(shard),
    firstTickMs: (shard, marketId) => recorder.firstTickMs(shard, marketId),
  }
}

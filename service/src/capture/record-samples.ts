import { shardOf, shardsOf } from '../domain/shards.ts'
import type { PerpTape } from './perp-tape.ts'
import type { PriceBoard } from './price-board.ts'
import { Recorder } from './recorder.ts'
import type { ResumedShard } from './resumed-shard.ts'
import type { SampledMarket } from './sampled-market.ts'
import type { SamplingClock } from './sampling-clock.ts'
import { ShardKeeper, type ShardKeeperDeps, type ShardRecording } from './shard-keeper.ts'
import { type OnTick, Ticks } from './ticks.ts'

export interface RecordSamplesDeps extends Omit<ShardKeeperDeps, 'recording' | 'shards' | 'follow' | 'isReady'> {
  clock: SamplingClock
  shardCount: number
  /** At each of these intervals the shards are told to be recorded, also without rows. */
  intervalMs: number
  markets: readonly SampledMarket[]
  prices?: Pick<PriceBoard, 'takeRows'>
  /** Trades and contexts of the markets. */
  tape?: Pick<PerpTape, 'takeRows'>
  /** Told whether this process has a rank in any of the shards. */
  onFollowed?: ((isFollowed: boolean) => void) | undefined
}

/** Whole books come every few seconds. */
const READY_AFTER_MS = 6_000

/** Rows of whole books and prices, which need no other input than the newest state in memory. */
export async function recordSamples(deps: RecordSamplesDeps, signal: AbortSignal): Promise<void> {
  const { clock, group, shardCount, intervalMs, markets, prices, tape } = deps
  const recorder = new Recorder({
    nowMs: () => clock.nowMs(),
    shardOf: (id) => shardOf(group, id, shardCount),
    publish: (shard, tickMs, rows) => keeper.publish(shard, tickMs, rows),
  })
  let followedSinceMs: number | undefined
  const keeper = new ShardKeeper({
    ...deps,
    shards: shardsOf(group, shardCount),
    recording: recordingOf(recorder),
    follow: (shards) => {
      followedSinceMs = shards.size === 0 ? undefined : (followedSinceMs ?? clock.nowMs())
      for (const market of markets) {
        if (shards.has(shardOf(group, market.id, shardCount))) recorder.add(market)
        else recorder.remove(market.id)
      }
      deps.onFollowed?.(shards.size > 0)
    },
    isReady: () => followedSinceMs !== undefined && clock.nowMs() - followedSinceMs >= READY_AFTER_MS,
  })
  clock.onMovedAhead(() => recorder.clockStepped())
  const onTick: OnTick = (tickMs, intervalsMs) => {
    for (const price of prices?.takeRows() ?? []) recorder.price(price)
    for (const row of tape?.takeRows() ?? []) recorder.tape(row)
    recorder.tick(tickMs, intervalsMs)
  }
  const ticks = new Ticks(clock, new Set([intervalMs]), onTick, deps.leases.timer)
  const ended = new AbortController()
  await Promise.all([keeper.run(signal).finally(() => ended.abort()), ticks.run(ended.signal)])
}

function recordingOf(recorder: Recorder): ShardRecording {
  return {
    hold: (shard, _epoch, resumed: ResumedShard | undefined) => recorder.hold(shard, resumed),
    leave: (shard) => recorder.leave(shard),
    markSaved: (shard, marketIds) => recorder.markSaved(shard, marketIds),
    retainedSinceMs: (shard) => recorder.retainedSinceMs(shard),
    marketIdsOf: (shard) => recorder.marketIdsOf(shard),
    firstTickMs: (shard, marketId) => recorder.firstTickMs(shard, marketId),
  }
}

import { Recorder } from '@bookreel/service/capture/recorder'
import type { TickRows } from '@bookreel/service/capture/tick-rows'
import type { Market, Resolution } from '@bookreel/service/domain/market'
import { WORLD_FROM_MS } from './world-times.ts'

export interface SeenListing {
  readonly market: Market
  readonly seenAtMs: number
}

/** A clock that the recording of a world moves. */
export interface VirtualClock {
  nowMs: number
}

/** A part of a world that is recorded. */
export interface RecordedPart {
  /** Runs up to this tick, and takes the rows of the tick. */
  advance(tickMs: number): void
}

type Publish = (shard: string, tickMs: number, rows: TickRows) => void

/** What the recorders of a world have published. */
export class Recording {
  /** Markets are followed from then on. */
  readonly fromMs: number
  readonly listings: SeenListing[] = []
  readonly resolutions: Resolution[] = []
  readonly ticks: TickRows[] = []
  readonly #publish: Publish

  constructor(fromMs = WORLD_FROM_MS, publish: Publish = () => {}) {
    this.fromMs = fromMs
    this.#publish = publish
  }

  /** A recorder of all markets of the group. */
  recorderOf(group: string, clock: VirtualClock): Recorder {
    const shard = `${group}.0`
    const recorder = new Recorder({
      nowMs: () => clock.nowMs,
      shardOf: () => shard,
      publish: (_shard, tickMs, rows) => {
        this.ticks.push(rows)
        this.#publish(shard, tickMs, rows)
      },
    })
    recorder.hold(shard)
    return recorder
  }
}

import { OfflineWorld, WORLD_START_MS } from '@bookreel/simulator/polymarket/offline-world'
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { Follower } from '../../src/capture/follower.ts'
import { Recorder } from '../../src/capture/recorder.ts'
import type { Resolution } from '../../src/domain/market.ts'
import type { Gap } from '../../src/domain/rows/gap.ts'
import type { Snapshot } from '../../src/domain/rows/snapshot.ts'
import type { Trade } from '../../src/domain/rows/trade.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import type { FrameProblem } from '../../src/venues/venue.ts'
import { marketFacts } from '../venues/world-truth.ts'

const TICK_MS = 250
const NOWHERE = 'http://127.0.0.1:9'

/** `Follower` and `Recorder` on a simulated world without sockets and timers: minutes pass in milliseconds. */
export class WorldRecorder {
  readonly told: OfflineWorld
  readonly follower: Follower
  readonly problems: FrameProblem[] = []
  readonly resolutions: Resolution[] = []
  readonly trades: Trade[] = []
  readonly #rows: Snapshot[] = []
  readonly #gaps: Gap[] = []
  readonly #recorder: Recorder
  readonly #received = new Map<string, { frames: number; trades: number }>()
  #nowMs: number

  constructor(startMs = WORLD_START_MS) {
    this.#nowMs = startMs
    const nowMs = (): number => this.#nowMs
    this.#recorder = new Recorder({
      nowMs,
      shardOf: () => 0,
      spotOf: () => undefined,
      publish: (_shard, _tickMs, { snapshots, gaps, trades }) => {
        this.#rows.push(...snapshots)
        this.#gaps.push(...gaps)
        this.trades.push(...trades)
      },
    })
    this.follower = new Follower({
      venue: polymarket({ gammaUrl: NOWHERE, clobUrl: NOWHERE, socketUrl: NOWHERE }),
      nowMs,
      onTrade: (trade) => this.#recorder.trade(trade),
      onResolved: (resolution) => {
        this.resolutions.push(resolution)
        this.#recorder.remove(resolution.marketId)
        this.follower.remove(resolution.marketId)
      },
      onProblem: (problem) => this.problems.push(problem),
      onDoubt: () => {},
    })
    this.told = new OfflineWorld({ startMs, seed: 'habits' }, ({ market, frames, atMs, hasTrade }) => {
      this.#nowMs = atMs
      const received = this.#received.get(market.conditionId)
      if (received === undefined) return
      received.frames += frames.length
      if (hasTrade) received.trades++
      for (const frame of frames) this.follower.frame(frame, atMs)
    })
    this.#recorder.hold(0)
  }

  get nowMs(): number {
    return this.#nowMs
  }

  follow(market: WorldMarket, { isFirstBookSent = true } = {}): void {
    this.#received.set(market.conditionId, { frames: 0, trades: 0 })
    this.#recorder.add(this.follower.add(marketFacts(market)))
    if (isFirstBookSent) this.sendFirstBook(market)
  }

  sendFirstBook(market: WorldMarket): void {
    this.follower.frame(this.told.firstFrame(market), this.#nowMs)
  }

  run(forMs: number): void {
    const endMs = this.#nowMs + forMs
    for (let tickMs = (Math.floor(this.#nowMs / TICK_MS) + 1) * TICK_MS; tickMs <= endMs; tickMs += TICK_MS) {
      this.told.world.advance(tickMs)
      this.#nowMs = tickMs
      this.#recorder.tick(tickMs)
    }
  }

  rowsOf({ conditionId }: WorldMarket): Snapshot[] {
    return this.#rows.filter(({ marketId }) => marketId === conditionId)
  }

  gapsOf({ conditionId }: WorldMarket): Gap[] {
    return this.#gaps.filter(({ marketId }) => marketId === conditionId)
  }

  framesOf({ conditionId }: WorldMarket): number {
    return this.#received.get(conditionId)?.frames ?? 0
  }

  tradesReceivedOf({ conditionId }: WorldMarket): number {
    return this.#received.get(conditionId)?.trades ?? 0
  }
}

import { OfflineWorld, WORLD_START_MS } from '@bookreel/simulator/polymarket/offline-world'
import type { Behaviour } from '@bookreel/simulator/world/behaviours'
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { Follower } from '../../src/capture/follower.ts'
import { Recorder } from '../../src/capture/recorder.ts'
import { Resync } from '../../src/capture/resync.ts'
import { sampledBinary } from '../../src/capture/sampled-binary.ts'
import { type Gap, isRowGap, type TradeGap } from '../../src/domain/rows/gap.ts'
import type { Snapshot } from '../../src/domain/rows/snapshot.ts'
import type { Trade } from '../../src/domain/rows/trade.ts'
import { decodeFrame } from '../../src/venues/polymarket/decode.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import type { BookEvent, FrameProblem, ResolvedEvent } from '../../src/venues/venue.ts'
import { marketFacts } from '../venues/world-truth.ts'

const TICK_MS = 250
const COMPARED_EVERY_MS = 1_000
const NOWHERE = 'http://127.0.0.1:9'

/** `Follower` and `Recorder` on a simulated world without sockets and timers: minutes pass in milliseconds. */
export class WorldRecorder {
  readonly told: OfflineWorld
  readonly follower: Follower
  readonly problems: FrameProblem[] = []
  readonly resolutions: ResolvedEvent[] = []
  readonly trades: Trade[] = []
  readonly #rows: Snapshot[] = []
  readonly #gaps: Gap[] = []
  readonly tradeGaps: TradeGap[] = []
  readonly #recorder: Recorder
  /** Markets that have moved to another socket. */
  readonly switched: string[] = []
  readonly #received = new Map<string, { frames: number; trades: number }>()
  /** The sockets that deliver each market. */
  readonly #sockets = new Map<string, Set<number>>()
  readonly #delaysMs = new Map<number, number>()
  #delayed: { frame: string; socket: number; dueMs: number }[] = []
  #disturb: ((frame: string) => readonly string[]) | undefined
  readonly #resync = new Resync()
  readonly #comparedAtMs = new Map<string, number>()
  #nowMs: number

  constructor(startMs = WORLD_START_MS, behaviours: readonly Behaviour[] = []) {
    this.#nowMs = startMs
    const nowMs = (): number => this.#nowMs
    this.#recorder = new Recorder({
      nowMs,
      shardOf: () => 'polymarket.0',
      publish: (_shard, _tickMs, { snapshots, gaps, trades }) => {
        this.#rows.push(...snapshots)
        for (const gap of gaps) {
          if (isRowGap(gap)) this.#gaps.push(gap)
          else this.tradeGaps.push(gap)
        }
        this.trades.push(...trades)
      },
    })
    this.follower = new Follower({
      venue: polymarket({ gammaUrl: NOWHERE, clobUrl: NOWHERE, socketUrl: NOWHERE }),
      nowMs,
      onTrade: (trade) => this.#recorder.trade(trade),
      onResolved: (event) => {
        this.resolutions.push(event)
        this.leave(event.marketId)
      },
      onProblem: (problem) => this.problems.push(problem),
      onDoubt: () => {},
      onSwitched: (marketId) => this.switched.push(marketId),
    })
    this.told = new OfflineWorld({ startMs, seed: 'habits', behaviours }, ({ market, frames, atMs, hasTrade }) => {
      this.#nowMs = atMs
      const received = this.#received.get(market.conditionId)
      if (received === undefined) return
      received.frames += frames.length
      if (hasTrade) received.trades++
      this.#deliverDelayed()
      for (const socket of this.#sockets.get(market.conditionId) ?? [])
        for (const frame of this.#disturb === undefined ? frames : frames.flatMap(this.#disturb))
          this.#deliver(frame, socket)
    })
    this.#recorder.hold('polymarket.0')
  }

  get nowMs(): number {
    return this.#nowMs
  }

  follow(market: WorldMarket, { isFirstBookSent = true, socket = 0 } = {}): void {
    this.#received.set(market.conditionId, { frames: 0, trades: 0 })
    this.#recorder.add(sampledBinary(this.follower.add(marketFacts(market)), () => undefined))
    this.#sockets.set(market.conditionId, new Set([socket]))
    if (socket > 0) this.follower.route({ kind: 'assigned', marketId: market.conditionId, socket })
    if (isFirstBookSent) this.sendFirstBook(market)
  }

  leave(marketId: string): void {
    this.#recorder.remove(marketId)
    this.follower.remove(marketId)
  }

  sendFirstBook(market: WorldMarket): void {
    for (const socket of this.#sockets.get(market.conditionId) ?? [])
      this.follower.frame(this.told.firstFrame(market), this.#nowMs, socket)
  }

  /** What sockets deliver instead of each frame from now on. */
  disturb(change: ((frame: string) => readonly string[]) | undefined): void {
    this.#disturb = change
  }

  /** No frame arrives for so long, and then whole books, as after a lost connection. */
  disconnect(forMs: number): void {
    const ids = [...this.follower.markets.keys()]
    this.follower.lost(ids, { cause: 'disconnected', detail: 'socket closed with 1006' }, this.#nowMs)
    this.disturb(() => [])
    for (const id of ids) this.#resync.restart(id, this.#nowMs + forMs)
    this.run(forMs)
    this.disturb(undefined)
    for (const id of ids) this.sendFirstBook(this.#marketOf(id))
  }

  /** The socket delivers this much later from now on. */
  delay(socket: number, delayMs: number): void {
    this.#delaysMs.set(socket, delayMs)
  }

  /** The market is subscribed on a further socket, which sends its first book. */
  deliver(market: WorldMarket, socket: number): void {
    this.#sockets.get(market.conditionId)?.add(socket)
    this.follower.frame(this.told.firstFrame(market), this.#nowMs, socket)
  }

  move(market: WorldMarket, socket: number): void {
    this.follower.route({ kind: 'moving', marketId: market.conditionId, socket })
    this.deliver(market, socket)
  }

  run(forMs: number): void {
    const endMs = this.#nowMs + forMs
    for (let tickMs = (Math.floor(this.#nowMs / TICK_MS) + 1) * TICK_MS; tickMs <= endMs; tickMs += TICK_MS) {
      this.told.world.advance(tickMs)
      this.#nowMs = tickMs
      this.#deliverDelayed()
      this.#watchBooks()
      this.follower.settleMoves(tickMs)
      this.#recorder.tick(tickMs)
    }
  }

  /** As `BookWatch` does over REST and sockets: failing books are compared, lost ones requested again. */
  #watchBooks(): void {
    const atMs = this.#nowMs
    for (const followed of this.follower.markets.values()) {
      const { id } = followed.market
      if (!followed.book.isToBeCompared(atMs) || atMs - (this.#comparedAtMs.get(id) ?? 0) < COMPARED_EVERY_MS) continue
      this.#comparedAtMs.set(id, atMs)
      followed.compare(this.#restBooks(id), atMs)
    }
    for (const { followed, attempt } of this.#resync.due(this.follower.markets.values(), atMs)) {
      const { id } = followed.market
      if (attempt % 2 === 0) followed.compare(this.#restBooks(id), atMs)
      else this.sendFirstBook(this.#marketOf(id))
    }
  }

  #restBooks(id: string): BookEvent[] {
    const { events } = decodeFrame(this.told.firstFrame(this.#marketOf(id)))
    return events.filter((event) => event.kind === 'book')
  }

  #marketOf(id: string): WorldMarket {
    const market = this.told.world.markets.get(id)
    if (market === undefined) throw new Error(`the world has no market ${id}`)
    return market
  }

  #deliver(frame: string, socket: number): void {
    const delayMs = this.#delaysMs.get(socket) ?? 0
    if (delayMs === 0) this.follower.frame(frame, this.#nowMs, socket)
    else this.#delayed.push({ frame, socket, dueMs: this.#nowMs + delayMs })
  }

  #deliverDelayed(): void {
    const due = this.#delayed.filter(({ dueMs }) => dueMs <= this.#nowMs)
    if (due.length === 0) return
    this.#delayed = this.#delayed.filter(({ dueMs }) => dueMs > this.#nowMs)
    for (const { frame, socket, dueMs } of due) this.follower.frame(frame, dueMs, socket)
  }

  rowsOf({ conditionId }: WorldMarket): Snapshot[] {
    return this.#rows.filter(({ marketId }) => marketId === conditionId)
  }

  gapsOf({ conditionId }: WorldMarket): Gap[] {
    return this.#gaps.filter(({ marketId }) => marketId === conditionId)
  }

  /** Slots between the first and the last row of a market that have neither a row nor a gap record. */
  holesOf(market: WorldMarket): number[] {
    const slots = new Set(this.rowsOf(market).map(({ slot }) => slot))
    const missing = this.gapsOf(market).filter(({ kind }) => kind === 'missing')
    const holes: number[] = []
    for (let slot = Math.min(...slots); slot <= Math.max(...slots); slot++) {
      if (!slots.has(slot) && !missing.some(({ fromSlot, toSlot }) => fromSlot <= slot && slot <= toSlot))
        holes.push(slot)
    }
    return holes
  }

  framesOf({ conditionId }: WorldMarket): number {
    return this.#received.get(conditionId)?.frames ?? 0
  }

  tradesReceivedOf({ conditionId }: WorldMarket): number {
    return this.#received.get(conditionId)?.trades ?? 0
  }
}

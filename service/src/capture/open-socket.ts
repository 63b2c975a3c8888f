import type { GapCause } from '../domain/rows/gap.ts'
import type { ConnectGate } from '../venues/connect-gate.ts'
import { runFeed } from '../venues/feed.ts'
import type { Closing, FrameOutcome, SocketRecord } from '../venues/feed-options.ts'
import { FrameRing } from '../venues/frame-ring.ts'
import { Subscriptions } from '../venues/subscriptions.ts'
import type { SocketProtocol, SocketRules } from '../venues/venue.ts'
import { SocketLag } from './socket-lag.ts'

export interface OpenSocketOwner {
  opened(): void
  beforeFrame(): void
  frame(text: string, receivedAtMs: number): FrameOutcome
  lost(cause: GapCause, detail: string, closing: Closing | undefined): void
  /** The connection could not be opened. */
  refused(detail: string): void
  noticed(notice: string): void
}

interface SocketDeps {
  rules: SocketRules
  /** What is said on the connection that is open now. */
  protocol: () => SocketProtocol
  gate: ConnectGate
  nowMs: () => number
  record?: SocketRecord | undefined
}

const JUST_NOW_MS = 5_000

/** One socket to the venue, with what is known about its delivery. */
export class OpenSocket {
  readonly id: number
  readonly subscriptions = new Subscriptions()
  readonly ring = new FrameRing()
  readonly lag = new SocketLag()
  isOpen = false
  /** How often it was opened; changes that came before another opening are lost. */
  openings = 0
  lastDataAtMs: number | undefined
  /** The last frame that belonged to a followed market; announcements of new markets do not count. */
  marketDataAtMs = 0
  /** What it delivered while it delivered anything. */
  usualFramesPerS = 0
  /** Venue time of the newest change that it has delivered. */
  newestChangeAtMs = 0
  readonly #stop = new AbortController()

  constructor(id: number) {
    this.id = id
  }

  /** Runs until `stop`; rejects only because of a bug in this process. */
  async run({ rules, protocol, gate, nowMs, record }: SocketDeps, owner: OpenSocketOwner): Promise<void> {
    await runFeed(
      {
        rules,
        subscriptions: this.subscriptions,
        subscribeFrames: (ids) => protocol().subscribeFrames(ids),
        unsubscribeFrames: (ids) => protocol().unsubscribeFrames(ids),
        owner: {
          opened: () => {
            this.isOpen = true
            this.openings++
            this.marketDataAtMs = nowMs()
            owner.opened()
          },
          beforeFrame: () => owner.beforeFrame(),
          frame: (text, receivedAtMs) => {
            const outcome = owner.frame(text, receivedAtMs)
            if (outcome === 'data') this.lastDataAtMs = receivedAtMs
            else if (outcome !== 'no_data') this.lastDataAtMs = outcome.rightUntilMs ?? this.lastDataAtMs
            return outcome
          },
          lost: (cause, detail, closing) => {
            this.isOpen = false
            owner.lost(cause, detail, closing)
          },
          refused: (detail) => owner.refused(detail),
          noticed: (notice) => owner.noticed(notice),
        },
        gate,
        ring: this.ring,
        nowMs,
        record,
      },
      this.#stop.signal,
    )
  }

  /** A busy socket that falls silent stays busy: only a period with data changes what is usual. */
  notePeriod(framesPerS: number, nowMs: number): void {
    if (nowMs - this.marketDataAtMs < JUST_NOW_MS) this.usualFramesPerS = framesPerS
  }

  stop(): void {
    this.#stop.abort()
  }
}

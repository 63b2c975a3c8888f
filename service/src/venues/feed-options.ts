import type { GapCause } from '../domain/rows/gap.ts'
import type { BackOff } from './back-off.ts'
import type { ConnectGate } from './connect-gate.ts'
import type { FrameRing } from './frame-ring.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Rules that hold for every socket to one venue. */
export interface FeedRules {
  url: string
  /** Left out for a venue that sends the pings itself. */
  heartbeat?: { frame: string; everyMs: number; answer: string; answerWithinMs: number }
  /** A socket without data for this long is dead, even if it answers pings. */
  silenceLimitMs: number
  maxFrameBytes: number
}

/** Receives the events of a socket, in the order in which they happen. */
export interface FeedOwner {
  opened(): void
  /** Returns whether the frame held data: only data proves that a socket is alive. */
  frame(text: string, receivedAtMs: number): boolean
  /** An opened socket has ended; every book that it carried is in doubt. */
  lost(cause: GapCause, detail: string): void
  /** A socket could not be opened. */
  refused?(detail: string): void
}

export interface FeedOptions {
  rules: FeedRules
  subscriptions: Subscriptions
  subscribeFrames(ids: readonly string[], isFirst: boolean): string[]
  unsubscribeFrames(ids: readonly string[]): string[]
  owner: FeedOwner
  gate: ConnectGate
  ring: FrameRing
  nowMs: () => number
  backOff?: BackOff
}

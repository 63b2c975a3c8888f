import type { GapCause } from '../domain/rows/gap.ts'
import type { BackOff } from './back-off.ts'
import type { ConnectGate } from './connect-gate.ts'
import type { FrameRing } from './frame-ring.ts'
import type { Wanted } from './wanted.ts'

/** What is true of every socket to one venue. */
export interface FeedRules {
  url: string
  /** Left out where the venue pings by itself. */
  heartbeat?: { frame: string; everyMs: number; answer: string; answerWithinMs: number }
  /** No data for so long means that the socket is dead, whatever it answers to pings. */
  silenceLimitMs: number
  maxFrameBytes: number
}

/** Who a socket is read for. Everything is told in the order in which it happened. */
export interface FeedOwner {
  opened(): void
  /** Returns whether it held data: only data proves that a socket is alive. */
  frame(text: string, receivedAtMs: number): boolean
  /** An opened socket has ended; everything that rode on it is in doubt. */
  lost(cause: GapCause, detail: string): void
  /** A socket could not be opened. */
  refused?(detail: string): void
}

export interface FeedOptions {
  rules: FeedRules
  wanted: Wanted
  subscribeFrames(ids: readonly string[], isFirst: boolean): string[]
  unsubscribeFrames(ids: readonly string[]): string[]
  owner: FeedOwner
  gate: ConnectGate
  ring: FrameRing
  nowMs: () => number
  backOff?: BackOff
}

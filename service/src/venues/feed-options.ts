import type { Loss } from '../domain/doubt.ts'
import type { GapCause } from '../domain/rows/gap.ts'
import type { BackOff } from './back-off.ts'
import type { ConnectGate } from './connect-gate.ts'
import type { FrameRing } from './frame-ring.ts'
import type { Subscriptions } from './subscriptions.ts'

export interface Heartbeat {
  /** Left out: a ping frame of the WebSocket protocol, which every server answers. */
  frame?: string
  everyMs: number
  /** Left out, with its limit, for a venue that never answers. */
  answer?: string
  answerWithinMs?: number
}

/** `Loss`: frames before this one are missing, so the connection is ended and opened again. */
export type FrameOutcome = 'data' | 'no_data' | Loss

/** Rules that hold for every socket to one venue. */
export interface FeedRules {
  url: string
  /** Made anew for every connection, because a signature contains the time. */
  headers?: () => Readonly<Record<string, string>>
  /** Left out for a venue that sends the pings itself. */
  heartbeat?: Heartbeat
  /** A socket without data for this long is dead, even if it answers pings. Left out where a silent socket is normal. */
  silenceLimitMs?: number
  maxFrameBytes: number
  /** Texts that the venue sends beside its data; they are counted. */
  notices?: readonly string[]
  /** The notice that answers a subscribe of ids which the socket holds already. */
  nothingNew?: string
}

/** The close frame of the venue, if it sent one. */
export interface Closing {
  code: number
  reason: string
}

/** Receives the events of a socket, in the order in which they happen. */
export interface FeedOwner {
  opened(): void
  /** Only data proves that a socket is alive. */
  frame(text: string, receivedAtMs: number): FrameOutcome
  /** Called when a frame has come, before it is kept and read: work that is due before it goes first. */
  beforeFrame?(): void
  /** An opened socket has ended; every book that it carried is in doubt. */
  lost(cause: GapCause, detail: string, closing?: Closing): void
  /** A socket could not be opened. */
  refused?(detail: string): void
  /** The venue sent one of the texts in `notices`. */
  noticed?(notice: string): void
  /** The venue answered a ping after this time. */
  answered?(delayMs: number): void
}

export type SocketRecord = (kind: 'opened' | 'frame' | 'closed', body: Buffer | string, atMs: number) => void

export interface FeedOptions {
  rules: FeedRules
  subscriptions: Subscriptions
  subscribeFrames(ids: readonly string[], isFirst: boolean): string[]
  unsubscribeFrames(ids: readonly string[]): string[]
  owner: FeedOwner
  gate: ConnectGate
  ring: FrameRing
  nowMs: () => number
  /** Keeps everything that happens on the socket in the raw archive. */
  record?: SocketRecord | undefined
  backOff?: BackOff
}

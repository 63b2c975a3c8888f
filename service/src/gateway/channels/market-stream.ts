import type { z } from 'zod'
import type { GapSegment } from '../../domain/hole.ts'
import type { RowFrames } from '../frames/row-frames.ts'
import type { Told, ToldKind } from '../frames/told.ts'
import type { StreamMarket } from '../markets/stream-market.ts'
import type { StreamOptions } from '../protocol/selector.ts'

/** Where frames go. While it is full nothing is sent, and only the newest row is kept. */
export interface Outlet {
  readonly isFull: boolean
  send(frame: Buffer | string): void
}

/** One channel of one market on one connection. */
export interface MarketStream {
  readonly channel: string
  readonly market: StreamMarket
  row?(frames: RowFrames, gaps: readonly GapSegment[]): void
  /** What `told` sends. */
  readonly tells?: ReadonlySet<ToldKind>
  told?(told: Told, sentAtMs: number): void
  notice?(frame: string): void
  /** Called when a slow reader has caught up. */
  drained?(nowMs: number): void
}

/** One channel of `/v1/stream`; `protocol/channels.ts` lists them. */
export interface ChannelKind<Name extends string, Frames extends Readonly<Record<string, z.ZodType>>> {
  readonly name: Name
  /** Frames that only this channel sends, by their names in the documentation. */
  readonly frames: Frames
  /** What a replay reads and charges, one credit per 1000; `nothing` when the channel can't be replayed. */
  readonly replays: 'rows' | 'told' | 'nothing'
  open(market: StreamMarket, outlet: Outlet, options: StreamOptions): MarketStream
}

/** What is told on any of the streams. */
export function kindsOf(streams: readonly MarketStream[]): ReadonlySet<ToldKind> {
  return new Set(streams.flatMap(({ tells }) => [...(tells ?? [])]))
}

export function skippedFrame(
  { channel, market }: Pick<MarketStream, 'channel' | 'market'>,
  { fromSeq, toSeq, frames }: { fromSeq: number; toSeq: number; frames: number },
  sentAtMs: number,
): string {
  const slots = { from_seq: fromSeq, to_seq: toSeq }
  return JSON.stringify({ channel, type: 'skipped', market: market.name, ...slots, frames, sent_at: sentAtMs })
}

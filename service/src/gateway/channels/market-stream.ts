import type { z } from 'zod'
import type { GapSegment } from '../../domain/hole.ts'
import type { Trade } from '../../domain/rows/trade.ts'
import type { RowFrames } from '../frames/row-frames.ts'
import type { StreamMarket } from '../markets/stream-market.ts'
import type { StreamOptions } from '../protocol/selector.ts'

/** Where frames go. A full one is not written to: what would be sent is remembered as one newest row. */
export interface Outlet {
  readonly isFull: boolean
  send(frame: Buffer | string): void
}

/** One channel of one market on one connection: what was sent last, and so what comes next. */
export interface MarketStream {
  readonly channel: string
  readonly market: StreamMarket
  row?(frames: RowFrames, gaps: readonly GapSegment[]): void
  trade?(trade: Trade, sentAtMs: number): void
  notice?(frame: string): void
  /** The reader has caught up. */
  drained?(nowMs: number): void
}

/** One channel of `/v1/stream`; `protocol/channels.ts` lists them. */
export interface ChannelKind<Name extends string, Frames extends Readonly<Record<string, z.ZodType>>> {
  readonly name: Name
  /** The frames that only this channel sends, by the names that the documentation gives them. */
  readonly frames: Frames
  /** What a replay reads and charges for, a credit for each 1000; `nothing`: it can't be replayed, and live is free. */
  readonly replays: 'rows' | 'trades' | 'nothing'
  open(market: StreamMarket, outlet: Outlet, options: StreamOptions): MarketStream
}

export function skippedFrame(
  { channel, market }: Pick<MarketStream, 'channel' | 'market'>,
  { fromSeq, toSeq, frames }: { fromSeq: number; toSeq: number; frames: number },
  sentAtMs: number,
): string {
  const slots = { from_seq: fromSeq, to_seq: toSeq }
  return JSON.stringify({ channel, type: 'skipped', market: market.name, ...slots, frames, sent_at: sentAtMs })
}

import { z } from 'zod'
import type { RowFrames } from '../frames/row-frames.ts'
import { bookHead, Spot, Touch } from './frame-parts.ts'
import type { ChannelKind } from './market-stream.ts'
import { RowStream } from './row-stream.ts'

const BboFrame = z.object({
  channel: z.literal('bbo'),
  type: z.literal('bbo'),
  ...bookHead,
  spot: Spot.optional(),
  up: Touch.optional(),
  down: Touch.optional(),
  book: Touch.optional(),
})

export class BboStream extends RowStream {
  override readonly channel = 'bbo'
  #seen: string | undefined
  #sentSeq: number | null = null

  protected override mustSend({ touch }: RowFrames): boolean {
    const mustSend = touch !== this.#seen
    this.#seen = touch
    return mustSend
  }

  protected override put(frames: RowFrames): void {
    this.outlet.send(frames.bbo(this.#sentSeq))
    this.#sentSeq = frames.row.seq
  }
}

export const bboChannel: ChannelKind<'bbo', { BboFrame: typeof BboFrame }> = {
  name: 'bbo',
  frames: { BboFrame },
  replays: 'rows',
  open: (market, outlet, options) => new BboStream(market, outlet, options),
}

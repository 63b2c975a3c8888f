import { z } from 'zod'
import type { RowFrames } from '../frames/row-frames.ts'
import type { StreamRow } from '../frames/stream-row.ts'
import type { StreamMarket } from '../markets/stream-market.ts'
import type { StreamOptions } from '../protocol/selector.ts'
import { bookHead, Sides, Spot } from './frame-parts.ts'
import type { ChannelKind, Outlet } from './market-stream.ts'
import { RowStream } from './row-stream.ts'

const BookFrame = z.object({
  channel: z.literal('book'),
  type: z.enum(['snapshot', 'delta']),
  ...bookHead,
  venue: z.string().optional().describe('venue of the market; only in a snapshot'),
  spot: Spot.optional().describe('only of crypto markets'),
  up: Sides.optional().describe('only of prediction markets'),
  down: Sides.optional(),
  book: Sides.optional().describe('only of perpetual futures'),
})

/** More levels than any book has. */
const ALL_LEVELS = 1_000_000

export class BookStream extends RowStream {
  override readonly channel = 'book'
  readonly #depth: number
  readonly #isDelta: boolean
  #sent: StreamRow | undefined

  constructor(market: StreamMarket, outlet: Outlet, options: StreamOptions) {
    super(market, outlet, options)
    this.#depth = options.depth ?? ALL_LEVELS
    this.#isDelta = options.mode === 'delta'
  }

  protected override mustSend(): boolean {
    return true
  }

  protected override put(frames: RowFrames, isNextInLine: boolean): void {
    const before = this.#sent
    this.#sent = frames.row
    const isDelta = this.#isDelta && isNextInLine && before !== undefined
    this.outlet.send(isDelta ? frames.delta(this.#depth, before) : frames.snapshot(this.#depth, before?.seq ?? null))
  }
}

export const bookChannel: ChannelKind<'book', { BookFrame: typeof BookFrame }> = {
  name: 'book',
  frames: { BookFrame },
  replays: 'rows',
  open: (market, outlet, options) => new BookStream(market, outlet, options),
}

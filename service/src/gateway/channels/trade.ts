import { z } from 'zod'
import type { Trade } from '../../domain/rows/trade.ts'
import { tradeFrame, tradeSeq } from '../frames/row-frames.ts'
import type { StreamMarket } from '../markets/stream-market.ts'
import { frameHead } from './frame-parts.ts'
import { type ChannelKind, type MarketStream, type Outlet, skippedFrame } from './market-stream.ts'

const TradeFrame = z.object({
  channel: z.literal('trade'),
  type: z.literal('trade'),
  ...frameHead,
  token: z.string(),
  side: z.enum(['UP', 'DOWN']),
  action: z.enum(['buy', 'sell']).describe('what the taker did'),
  price: z.number(),
  size: z.number(),
  transaction_hash: z.string().nullable(),
  occurrence: z.int().describe('0, or the number of equal fills before this one in the same frame of the venue'),
})

class TradeStream implements MarketStream {
  readonly channel = 'trade'
  readonly market: StreamMarket
  readonly #outlet: Outlet
  #sentSeq: number | null = null
  #missed: { fromSeq: number; toSeq: number; frames: number } | undefined

  constructor(market: StreamMarket, outlet: Outlet) {
    this.market = market
    this.#outlet = outlet
  }

  trade(trade: Trade, sentAtMs: number): void {
    const seq = tradeSeq(this.market, trade)
    if (this.#outlet.isFull || this.#missed !== undefined) {
      this.#missed ??= { fromSeq: seq, toSeq: seq, frames: 0 }
      this.#missed.toSeq = seq
      this.#missed.frames++
      return
    }
    this.#outlet.send(tradeFrame(this.market, trade, this.#sentSeq, sentAtMs))
    this.#sentSeq = seq
  }

  drained(nowMs: number): void {
    if (this.#missed !== undefined) this.#outlet.send(skippedFrame(this, this.#missed, nowMs))
    this.#missed = undefined
  }
}

export const tradeChannel: ChannelKind<'trade', { TradeFrame: typeof TradeFrame }> = {
  name: 'trade',
  frames: { TradeFrame },
  replays: 'trades',
  open: (market, outlet) => new TradeStream(market, outlet),
}

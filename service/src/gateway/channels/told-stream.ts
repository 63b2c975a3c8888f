import { type Told, type ToldKind, toldFrame, toldSeq } from '../frames/told.ts'
import type { StreamMarket } from '../markets/stream-market.ts'
import { type MarketStream, type Outlet, skippedFrame } from './market-stream.ts'

/** One frame for each trade or context. */
export class ToldStream implements MarketStream {
  readonly channel: string
  readonly tells: ReadonlySet<ToldKind>
  readonly market: StreamMarket
  readonly #outlet: Outlet
  #sentSeq: number | null = null
  #missed: { fromSeq: number; toSeq: number; frames: number } | undefined

  constructor(channel: string, tells: readonly ToldKind[], market: StreamMarket, outlet: Outlet) {
    this.channel = channel
    this.tells = new Set(tells)
    this.market = market
    this.#outlet = outlet
  }

  told(told: Told, sentAtMs: number): void {
    if (!this.tells.has(told.kind)) return
    const seq = toldSeq(this.market, told)
    if (this.#outlet.isFull || this.#missed !== undefined) {
      this.#missed ??= { fromSeq: seq, toSeq: seq, frames: 0 }
      this.#missed.toSeq = seq
      this.#missed.frames++
      return
    }
    this.#outlet.send(toldFrame(this.market, told, this.#sentSeq, sentAtMs))
    this.#sentSeq = seq
  }

  /** Nobody knows what was told in these slots. */
  lost(fromSeq: number, toSeq: number, nowMs: number): void {
    this.#outlet.send(skippedFrame(this, { fromSeq, toSeq, frames: 0 }, nowMs))
  }

  drained(nowMs: number): void {
    if (this.#missed !== undefined) this.#outlet.send(skippedFrame(this, this.#missed, nowMs))
    this.#missed = undefined
  }
}

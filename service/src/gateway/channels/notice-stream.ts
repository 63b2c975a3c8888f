import type { StreamMarket } from '../markets/stream-market.ts'
import type { MarketStream, Outlet } from './market-stream.ts'

/** Forwards ready-made frames. They are few, so slow readers get all of them too. */
export class NoticeStream implements MarketStream {
  readonly channel: string
  readonly market: StreamMarket
  readonly #outlet: Outlet

  constructor(channel: string, market: StreamMarket, outlet: Outlet) {
    this.channel = channel
    this.market = market
    this.#outlet = outlet
  }

  notice(frame: string): void {
    this.#outlet.send(frame)
  }
}

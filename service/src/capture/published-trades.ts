import type { PerpTrade } from '../domain/rows/perp-trade.ts'
import { type TapeRow, tapeMarketId } from '../domain/rows/tape-row.ts'

/** Numbers of trades by perp, oldest first. */
export type TradeIds = Readonly<Record<string, readonly number[]>>

interface Published {
  readonly tradeId: number
  readonly tickMs: number
}

/** More than the 30 trades of a coin that the venue repeats after a subscription. */
const SAVED_TRADES = 60
/** While the bus is unavailable, trades wait for their acknowledgement. */
const REMEMBERED_TRADES = 1_000

/** The last trades of each perp of a shard: the next recorder gets them from the venue again, and must not store them a second time. */
export class PublishedTrades {
  readonly #trades: Map<string, Published[]>

  constructor(before: TradeIds = {}) {
    const published = (ids: readonly number[]) => ids.map((tradeId) => ({ tradeId, tickMs: 0 }))
    this.#trades = new Map(Object.entries(before).map(([id, ids]) => [id, published(ids)]))
  }

  add(tickMs: number, tape: readonly TapeRow[]): void {
    for (const told of tape) {
      if (told.kind !== 'trade') continue
      const id = tapeMarketId(told)
      const trades = this.#trades.get(id) ?? []
      trades.push({ tradeId: told.row.tradeId, tickMs })
      if (trades.length > REMEMBERED_TRADES) trades.splice(0, trades.length - REMEMBERED_TRADES)
      this.#trades.set(id, trades)
    }
  }

  /** They are not on the bus, so the next recorder may take them from the venue once more. */
  forget(lost: readonly PerpTrade[]): void {
    for (const [id, rows] of Map.groupBy(lost, (row) => tapeMarketId({ kind: 'trade', row }))) {
      const ids = new Set(rows.map(({ tradeId }) => tradeId))
      const kept = (this.#trades.get(id) ?? []).filter(({ tradeId }) => !ids.has(tradeId))
      this.#trades.set(id, kept)
    }
  }

  /** Those of a tick that is not on the bus yet could still be lost. */
  upTo(tickMs: number): TradeIds {
    const idsOf = (trades: readonly Published[]): number[] =>
      trades
        .filter((trade) => trade.tickMs <= tickMs)
        .slice(-SAVED_TRADES)
        .map(({ tradeId }) => tradeId)
    return Object.fromEntries([...this.#trades].map(([id, trades]) => [id, idsOf(trades)]))
  }
}

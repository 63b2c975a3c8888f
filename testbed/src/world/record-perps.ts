import { sampledPerp } from '@bookreel/service/capture/follow-perps'
import { PerpTape } from '@bookreel/service/capture/perp-tape'
import type { CoinSymbol } from '@bookreel/service/domain/market'
import { decodePerpBook, decodePerpFrame } from '@bookreel/service/venues/hyperliquid/decode'
import { PerpBook } from '@bookreel/service/venues/perp-book'
import type { PerpEvent } from '@bookreel/service/venues/perp-events'
import { assetContext } from '@bookreel/simulator/hyperliquid/perp-context'
import { bookData } from '@bookreel/simulator/hyperliquid/perp-data'
import { PerpMarket, perpCoin } from '@bookreel/simulator/hyperliquid/perp-market'
import { spotPrices } from '@bookreel/simulator/world/spot'
import type { RecordedPart, Recording, VirtualClock } from './recording.ts'
import { PERPS_FROM_MS, WORLD_SEED } from './world-times.ts'

const VENUE = 'hyperliquid'
export const PERP_COINS = ['BTC', 'ETH', 'SOL', 'HYPE'] as const satisfies readonly CoinSymbol[]
/** As often as the recorder asks for whole books. */
const BOOK_EVERY_MS = 1_500
const CONTEXT_EVERY_MS = 1_000
const TICK_MS = 500

export interface RecordedPerps extends RecordedPart {
  /** The socket of best prices, trades and contexts is lost from the next tick on; whole books come from elsewhere. */
  disconnect(forMs: number): void
}

/** Records four perps: whole books, best prices, trades and contexts. */
export function recordPerps(recording: Recording, clock: VirtualClock): RecordedPerps {
  const recorder = recording.recorderOf(VENUE, clock)
  const perps = new PerpMarket(WORLD_SEED, spotPrices(WORLD_SEED))
  const tape = new PerpTape(VENUE, PERP_COINS, () => clock.nowMs)
  const followed = PERP_COINS.map((symbol) => {
    const coin = perpCoin(symbol)
    if (coin === undefined) throw new Error(`the simulated venue has no ${symbol}`)
    return { coin, book: new PerpBook(VENUE, symbol) }
  })
  const fromMs = Math.max(PERPS_FROM_MS, recording.fromMs)
  let tradesUpToMs = fromMs
  let away = { fromMs: 0, toMs: 0 }
  return {
    disconnect(forMs) {
      const awayFromMs = clock.nowMs + TICK_MS
      away = { fromMs: awayFromMs, toMs: awayFromMs + forMs }
    },
    advance(tickMs) {
      clock.nowMs = tickMs
      if (tickMs < fromMs || tickMs % TICK_MS !== 0) return
      if (tickMs === fromMs) for (const { book } of followed) recorder.add(sampledPerp(VENUE, book, tape))
      if (tickMs === away.fromMs) tape.lost({ cause: 'disconnected', detail: 'socket closed with 1006' })
      const isAway = away.fromMs <= tickMs && tickMs < away.toMs
      for (const { coin, book } of followed) {
        const take = (event: PerpEvent): void => {
          book.take(event, tickMs)
          tape.take(event, tickMs)
        }
        const takeFrame = (channel: string, data: unknown): void => {
          for (const event of decodePerpFrame(JSON.stringify({ channel, data }), 'quick').events) take(event)
        }
        if (tickMs % BOOK_EVERY_MS === 0) {
          const event = decodePerpBook(JSON.stringify(bookData(perps, coin.symbol, tickMs)))
          if (event !== undefined) take(event)
        }
        if (isAway) continue
        const blockMs = perps.blockTime(tickMs)
        const [bids, asks] = perps.ladders(coin, blockMs, 1)
        takeFrame('bbo', { coin: coin.symbol, time: blockMs, bbo: [bids[0] ?? null, asks[0] ?? null] })
        const trades = perps.tradesIn(coin, { fromMs: tradesUpToMs, toMs: tickMs })
        if (trades.length > 0) takeFrame('trades', trades)
        if (tickMs % CONTEXT_EVERY_MS === 0)
          takeFrame('activeAssetCtx', { coin: coin.symbol, ctx: assetContext(perps, coin, tickMs) })
      }
      tradesUpToMs = tickMs
      for (const row of tape.takeRows()) recorder.tape(row)
      recorder.tick(tickMs)
    },
  }
}

import type { TestService } from '@bookreel/testbed/service/test-service'
import { signedUnitsIn } from '../../src/domain/decimal.ts'
import { type PerpContext, writePerpContext } from '../../src/domain/rows/perp-context.ts'
import type { PerpSnapshot } from '../../src/domain/rows/perp-snapshot.ts'
import { type PerpTrade, writePerpTrade } from '../../src/domain/rows/perp-trade.ts'
import { NO_TRANSACTION } from '../../src/domain/rows/trade.ts'
import { insert } from './snapshots-scene.ts'

type Scene = Pick<TestService, 'config'>

const VENUE = 'hyperliquid'

function units(text: string): bigint {
  return signedUnitsIn(text) ?? 0n
}

export function contextRow(symbol: string, receivedAtMs: number, changed: Partial<PerpContext> = {}): PerpContext {
  return {
    venue: VENUE,
    symbol,
    receivedAtMs,
    funding: units('-0.0000052974'),
    openInterest: units('36295.80812'),
    markPrice: units('0.21'),
    oraclePrice: units('0.2101'),
    previousDayPrice: units('0.2'),
    dayNotional: units('4490636699.3287734985'),
    dayVolume: units('56265.69068'),
    book: {
      midPrice: units('0.20995'),
      premium: units('-0.0005540084'),
      impactBid: units('0.2099'),
      impactAsk: units('0.21'),
    },
    ...changed,
  }
}

/** Its number is its time. */
export function perpTradeRow(symbol: string, tradedAtMs: number): PerpTrade {
  return {
    venue: VENUE,
    symbol,
    tradeId: tradedAtMs,
    side: 'SELL',
    price: 210_050,
    size: 150_500_000,
    tradedAtMs,
    receivedAtMs: tradedAtMs + 40,
    transactionHash: NO_TRANSACTION,
  }
}

/** The first book of a perp: trades and contexts are recorded since then. */
export function tapeBookRow(symbol: string, atMs: number): PerpSnapshot {
  const level = { price: 210_000, size: 1_000_000, orders: 1 }
  return {
    venue: VENUE,
    symbol,
    slot: atMs / 500,
    intervalMs: 500,
    capturedAtMs: atMs,
    eventAtMs: atMs,
    receivedAtMs: atMs,
    ladders: { bids: [level], asks: [{ ...level, price: 210_100 }] },
    touch: { bidPrice: 0, bidSize: 0, askPrice: 0, askSize: 0, eventAtMs: 0 },
  }
}

export function archivePerpTrades(scene: Scene, rows: readonly PerpTrade[]): Promise<void> {
  return insert(scene, 'perp_trades', (writer) => {
    for (const row of rows) writePerpTrade(writer, row)
  })
}

export function archiveContexts(scene: Scene, rows: readonly PerpContext[]): Promise<void> {
  return insert(scene, 'perp_contexts', (writer) => {
    for (const row of rows) writePerpContext(writer, row)
  })
}

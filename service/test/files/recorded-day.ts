import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { DAY_MS } from '../../src/domain/day-file.ts'
import { HOUR_MS } from '../../src/domain/finished-hour.ts'
import { PERP_INTERVAL_MS } from '../../src/domain/plan.ts'
import { type StoredGap, writeGap } from '../../src/domain/rows/gap.ts'
import { type PerpContext, perpContextSchema } from '../../src/domain/rows/perp-context.ts'
import { type PerpSnapshot, perpMarketId, writePerpSnapshot } from '../../src/domain/rows/perp-snapshot.ts'
import { type PerpTrade, writePerpTrade } from '../../src/domain/rows/perp-trade.ts'
import { type Price, writePrice } from '../../src/domain/rows/price.ts'
import { NO_TRANSACTION, type Trade, writeTrade } from '../../src/domain/rows/trade.ts'
import { DAY, type FilesScene, INTERVAL_MS, rowsOf, windowsOf } from './files-scene.ts'

/** A past day of everything that is recorded, with repeats, holes and rows of the days around it. */

const VENUE = 'hyperliquid'
const PERP_SLOT = DAY / PERP_INTERVAL_MS
export const PERP_BOOKS = 600

export const windows = windowsOf(3)
export const other = madeMarket('other', {
  captureIntervalMs: INTERVAL_MS,
  startsAtMs: DAY,
  endsAtMs: DAY + HOUR_MS / 4,
})

export async function storeDay(scene: FilesScene): Promise<void> {
  const isLost = (offset: number): boolean => offset >= 20 && offset <= 25
  await scene.store(
    [...windows, other],
    [...windows.flatMap((market, index) => rowsOf(market, index === 1 ? isLost : undefined)), ...rowsOf(other)],
  )
  await scene.keepRepeats(['trades', 'perp_trades', 'prices'])
  await scene.insert('trades', writeTrade, tradesOfDay())
  await scene.insert('trades', writeTrade, tradesOfDay().slice(0, 3))
  await scene.insert('perp_snapshots', writePerpSnapshot, booksOfDay())
  await scene.insert('perp_trades', writePerpTrade, perpTradesOfDay())
  await scene.insert('perp_trades', writePerpTrade, perpTradesOfDay().slice(10, 15))
  await scene.insert('perp_contexts', perpContextSchema.write, contextsOfDay())
  await scene.insert('prices', writePrice, pricesOfDay())
  await scene.insert('prices', writePrice, SOURCES.map(correctionOf))
  await scene.insert('gaps', writeGap, gapsOfDay())
}

export function tradeOf(index: number, changed: Partial<Trade> = {}): Trade {
  const { id: marketId, startsAtMs = 0 } = [...windows, other][index % 4] ?? other
  return {
    marketId,
    outcome: index % 3 === 0 ? 1 : 0,
    side: index % 2 === 0 ? 'BUY' : 'SELL',
    price: 4_000 + index,
    size: 1_234_567 + index,
    tradedAtMs: startsAtMs + 1_000 * (40 - index),
    receivedAtMs: startsAtMs + 60_000,
    transactionHash: index % 5 === 0 ? NO_TRANSACTION : `0x${String(index).padStart(64, '7')}`,
    occurrence: 0,
    ...changed,
  }
}

/** One fill has an equal one beside it. */
function tradesOfDay(): Trade[] {
  return [...Array.from({ length: 30 }, (_, index) => tradeOf(index)), tradeOf(4, { occurrence: 1 })]
}

export function bookOf(symbol: string, slot: number): PerpSnapshot {
  const atMs = slot * PERP_INTERVAL_MS
  const level = (price: number) => ({ price, size: 1_500_000 + (slot % 7), orders: 2 })
  return {
    ...{ venue: VENUE, symbol, slot, intervalMs: PERP_INTERVAL_MS },
    ...{ capturedAtMs: atMs + 3, eventAtMs: atMs - 20, receivedAtMs: atMs - 10 },
    ladders: {
      bids: slot % 50 === 0 ? [] : [level(40_000_100_000), level(40_000_000_000)],
      asks: [level(40_010_300_000)],
    },
    touch: slot % 3 === 0 ? NO_TOUCH : { ...NO_TOUCH, bidPrice: 40_000_200_000, bidSize: 7, eventAtMs: atMs },
  }
}

const NO_TOUCH = { bidPrice: 0, bidSize: 0, askPrice: 0, askSize: 0, eventAtMs: 0 }

/** Two coins; slots 100 to 109 of BTC are lost; both are still recorded on the day after. */
function booksOfDay(): PerpSnapshot[] {
  return ['BTC', 'ETH'].flatMap((symbol) => [
    ...Array.from({ length: PERP_BOOKS }, (_, offset) => offset)
      .filter((offset) => symbol === 'ETH' || offset < 100 || offset > 109)
      .map((offset) => bookOf(symbol, PERP_SLOT + offset)),
    bookOf(symbol, (DAY + DAY_MS) / PERP_INTERVAL_MS),
  ])
}

export function perpTradeOf(tradeId: number): PerpTrade {
  const tradedAtMs = DAY + tradeId * 700
  return {
    ...{ venue: VENUE, symbol: 'BTC', tradeId, side: tradeId % 2 === 0 ? 'BUY' : 'SELL' },
    ...{ price: 40_000_000_000 + tradeId, size: 12_345 + tradeId, tradedAtMs, receivedAtMs: tradedAtMs + 50 },
    transactionHash: tradeId % 4 === 0 ? NO_TRANSACTION : `0x${String(tradeId).padStart(64, '9')}`,
  }
}

function perpTradesOfDay(): PerpTrade[] {
  const trades = Array.from({ length: 40 }, (_, index) => perpTradeOf(index + 1))
  return [...trades, { ...perpTradeOf(99), tradedAtMs: DAY + DAY_MS }]
}

/** Figures with more digits than a double has. */
function contextsOfDay(): PerpContext[] {
  return Array.from({ length: 30 }, (_, index): PerpContext => {
    const odd = BigInt(index) * 7_919_123_456_789_123n
    const midPrice = 40_000_123_456_789_012_345_678n + odd
    return {
      ...{ venue: VENUE, symbol: 'BTC', receivedAtMs: DAY + index * 1_100 },
      ...{ funding: -12_500_000_000_123n + odd, openInterest: 31_234_567_890_123_456_789_012n + odd },
      ...{ markPrice: midPrice + 1n, oraclePrice: midPrice - 3n, previousDayPrice: midPrice - 77n },
      ...{ dayNotional: 4_123_456_789_012_345_678_901_234n, dayVolume: 98_765_432_109_876_543_210_123n + odd },
      book:
        index % 6 === 0 ? undefined : { midPrice, premium: odd - 5n, impactBid: midPrice - 9n, impactAsk: midPrice },
    }
  })
}

export function priceOf(second: number, changed: Partial<Price> = {}): Price {
  const atMs = DAY + second * 1_000
  return {
    ...{ source: 'binance', coin: 'BTC', price: 60_123_456_789_012_345_678_901n + BigInt(second) * 10n ** 15n },
    ...{ priceAtMs: atMs, isVenueTime: second % 2 === 0, receivedAtMs: atMs + 40, ...changed },
  }
}

const SOURCES = ['binance', 'chainlink']

function correctionOf(source: string): Price {
  return priceOf(10, { source, price: 61_000n * 10n ** 18n, receivedAtMs: DAY + 20_000 })
}

/** Both sources are still recorded on the day after. */
function pricesOfDay(): Price[] {
  return SOURCES.flatMap((source) => [
    ...Array.from({ length: 50 }, (_, second) => priceOf(second, { source })),
    priceOf(DAY_MS / 1_000, { source }),
  ])
}

export function gapOf(
  marketId: string,
  [fromSlot, toSlot]: readonly [number, number],
  changed: Partial<StoredGap> = {},
) {
  const isPerp = marketId === perpMarketId(VENUE, 'BTC')
  const intervalMs = isPerp ? PERP_INTERVAL_MS : INTERVAL_MS
  const about = { marketId, fromSlot, toSlot, knownAtSlot: fromSlot, cause: 'disconnected', intervalMs }
  return { ...about, kind: 'missing', detail: 'a test\twith "quotes"', ...changed } as StoredGap
}

/** The first record covers rows that are there, and one of the perp began on the day before. */
function gapsOfDay(): StoredGap[] {
  const { id = '', startsAtMs = 0 } = windows[1] ?? {}
  const first = startsAtMs / INTERVAL_MS
  const perp = perpMarketId(VENUE, 'BTC')
  return [
    gapOf(id, [first + 18, first + 30]),
    gapOf(id, [first + 40, first + 41], { kind: 'suspect', cause: 'hash_mismatch' }),
    gapOf(id, [first + 50, first + 51], { kind: 'trades' } as Partial<StoredGap>),
    gapOf(perp, [PERP_SLOT - 50, PERP_SLOT + 4], { kind: 'suspect', cause: 'resync' }),
    gapOf(perp, [PERP_SLOT + 100, PERP_SLOT + 109]),
    gapOf(perp, [PERP_SLOT + PERP_BOOKS, PERP_SLOT + DAY_MS / PERP_INTERVAL_MS - 1], { cause: 'capturer_down' }),
  ]
}

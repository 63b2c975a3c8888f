import { type Book, type Change, PRICE_ONE, type SideName } from './book.ts'
import type { Market } from './market.ts'
import type { Random } from './random.ts'

/** A taker's order that was filled, in the taker's own token. */
export interface Trade {
  outcome: 0 | 1
  side: 'BUY' | 'SELL'
  price: number
  sizeText: string
}

export interface Turn {
  changes: Change[]
  trade?: Trade
}

const MIN_LEVELS = 8
const MAX_LEVELS = 55
const FINE_TICK = PRICE_ONE / 1000
const FINE_TICK_ABOVE = 0.96 * PRICE_ONE
const FINE_TICK_BELOW = 0.04 * PRICE_ONE

/** The highest bid below and the lowest ask above the fair price. */
function bestPricesAround(fair: number, tick: number): { highestBid: number; lowestAsk: number } {
  const position = (fair * PRICE_ONE) / tick
  return { highestBid: (Math.ceil(position) - 1) * tick, lowestAsk: (Math.floor(position) + 1) * tick }
}

function drawSize(draw: Random, ticksFromBest: number): number {
  const shares = draw.chance(0.4) ? draw.whole(1, 40) * 5 : draw.whole(5, 900)
  const cents = draw.chance(0.5) ? draw.whole(0, 99) : 0
  return shares * 100 * (1 + Math.min(20, ticksFromBest >> 1)) + cents
}

/** A full book around the fair price, denser near the best prices. */
export function openingChanges(market: Market, fair: number): Change[] {
  const { draw, tickSize } = market
  const { highestBid, lowestAsk } = bestPricesAround(fair, tickSize)
  const changes: Change[] = []
  for (let steps = 0; steps < MAX_LEVELS; steps++) {
    const density = steps < 12 ? 0.92 : 0.6
    const bid = highestBid - steps * tickSize
    if (bid > 0 && draw.chance(density)) changes.push({ side: 'bids', price: bid, size: drawSize(draw, steps) })
    const ask = lowestAsk + steps * tickSize
    if (ask < PRICE_ONE && draw.chance(density)) changes.push({ side: 'asks', price: ask, size: drawSize(draw, steps) })
  }
  return changes
}

/**
 * The next actions of the simulated traders: first they correct best prices that the fair price has passed, by
 * cancelling or trading; otherwise they improve a best price, trade at it, or change orders behind it. The resulting
 * book is never crossed.
 */
export function takeTurn(market: Market, fair: number): Turn {
  const { book, draw, tickSize } = market
  const { highestBid, lowestAsk } = bestPricesAround(fair, tickSize)
  if (book.bestBid > highestBid) return correct(market, 'bids', (price) => price > highestBid)
  if (book.bestAsk < lowestAsk) return correct(market, 'asks', (price) => price < lowestAsk)

  const kind = draw.next()
  if (kind < 0.03) return trade(market, draw.chance(0.5) ? 'bids' : 'asks')
  if (kind < 0.25) {
    const side = draw.chance(0.5) ? 'bids' : 'asks'
    const limit = side === 'bids' ? highestBid : lowestAsk
    const best = side === 'bids' ? book.bestBid : book.bestAsk
    if (best !== limit && limit > 0 && limit < PRICE_ONE) {
      return { changes: [{ side, price: limit, size: drawSize(draw, 0) }] }
    }
  }
  return { changes: rearrange(market, highestBid, lowestAsk) }
}

/** Changes behind the best prices only: no trade, and never a crossed book. */
export function quietChanges(market: Market, fair: number): Change[] {
  const { book, tickSize } = market
  const { highestBid, lowestAsk } = bestPricesAround(fair, tickSize)
  return rearrange(market, Math.min(highestBid, book.bestAsk - tickSize), Math.max(lowestAsk, book.bestBid + tickSize))
}

function correct(market: Market, side: SideName, isPassed: (price: number) => boolean): Turn {
  if (market.draw.chance(0.15)) return trade(market, side)
  const passed = market.book[side].filter(({ price }) => isPassed(price))
  const nearestFirst = side === 'bids' ? passed.toReversed() : passed
  return { changes: nearestFirst.slice(0, 8).map(({ price }) => ({ side, price, size: 0 })) }
}

/** A taker fills part or all of the best level of one side. */
function trade(market: Market, side: SideName): Turn {
  const { book, draw } = market
  const best = side === 'bids' ? book.bids.at(-1) : book.asks[0]
  if (best === undefined) return { changes: [] }
  const filled = draw.chance(0.3) ? best.size : Math.max(1, Math.floor(best.size * draw.next()))
  const outcome = draw.chance(0.5) ? 0 : 1
  const takesFirstOutcome = outcome === 0
  return {
    changes: [{ side, price: best.price, size: best.size - filled }],
    trade: {
      outcome,
      side: (side === 'asks') === takesFirstOutcome ? 'BUY' : 'SELL',
      price: takesFirstOutcome ? best.price : PRICE_ONE - best.price,
      sizeText: tradeSizeText(filled, draw),
    },
  }
}

/** Trades have six decimals although books have two. */
function tradeSizeText(filledCents: number, draw: Random): string {
  const millionths = filledCents * 10_000 - (draw.chance(0.2) ? draw.whole(1, 9_999) : 0)
  return String(millionths / 1_000_000)
}

/** Places, changes and cancels orders at random prices until enough levels differ from the book. */
function rearrange(market: Market, highestBid: number, lowestAsk: number): Change[] {
  const { book, draw, tickSize } = market
  const changes = new Map<number, Change>()
  const wanted = batchLength(draw)
  for (let attempts = 0; changes.size < wanted && attempts < 4 * wanted + 8; attempts++) {
    const side: SideName = draw.chance(0.5) ? 'bids' : 'asks'
    const steps = Math.floor(-Math.log(1 - draw.next()) * 9)
    const price = side === 'bids' ? highestBid - steps * tickSize : lowestAsk + steps * tickSize
    if (price <= 0 || price >= PRICE_ONE || changes.has(price)) continue
    const size = newSize(book, side, price, steps, draw)
    if (size !== book.sizeAt(side, price)) changes.set(price, { side, price, size })
  }
  return [...changes.values()]
}

function newSize(book: Book, side: SideName, price: number, steps: number, draw: Random): number {
  const present = book.sizeAt(side, price)
  if (present === 0) return book[side].length < MAX_LEVELS ? drawSize(draw, steps) : 0
  const mayGo = book[side].length > MIN_LEVELS
  return mayGo && draw.chance(0.4) ? 0 : drawSize(draw, steps)
}

function batchLength(draw: Random): number {
  if (draw.chance(0.85)) return 1
  return draw.chance(0.7) ? draw.whole(2, 3) : draw.whole(4, 8)
}

/** Near 0 and 1 the venue switches to a finer tick, and never switches back. */
export function finerTick(market: Market): number | undefined {
  const { book, tickSize } = market
  if (tickSize <= FINE_TICK) return undefined
  const nearEnd = book.bestBid >= FINE_TICK_ABOVE || book.bestAsk <= FINE_TICK_BELOW
  return nearEnd ? FINE_TICK : undefined
}

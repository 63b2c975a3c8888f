import { PRICE_ONE, type SideName } from '../world/book.ts'
import type { Random } from '../world/random.ts'
import type { KalshiMarket } from './kalshi-market.ts'

/** The new size of one level; the venue publishes each in a frame of its own. */
export interface Step {
  side: SideName
  price: number
  size: number
  /** Contracts that a taker filled at this level. */
  filled?: number
}

const MOST_LEVELS = 30
const FEWEST_LEVELS = 4
const MOST_SWEPT = 4
const MOST_CANCELLED = 3
/** Near the ends of the price range the venue gives a market a finer grid. */
const FINE_GRID_BELOW = 0.04 * PRICE_ONE
const FINE_GRID_ABOVE = 0.96 * PRICE_ONE

function drawSize(draw: Random, stepsFromBest: number): number {
  const whole = draw.chance(0.5) ? draw.whole(1, 40) * 5 : draw.whole(1, 900)
  const fraction = draw.chance(0.25) ? draw.whole(1, 99) : 0
  return whole * 100 * (1 + Math.min(12, stepsFromBest >> 1)) + fraction
}

/** A full book around the fair price, with holes, denser near the best prices. */
export function openingSteps({ draw, grid }: KalshiMarket, fair: number): Step[] {
  const steps: Step[] = []
  const [below, above] = [grid.indexBelow(fair), grid.indexAbove(fair)]
  for (let distance = 0; distance < MOST_LEVELS; distance++) {
    const density = distance < 8 ? 0.9 : 0.55
    const [bid, ask] = [grid.prices[below - distance], grid.prices[above + distance]]
    if (bid !== undefined && draw.chance(density))
      steps.push({ side: 'bids', price: bid, size: drawSize(draw, distance) })
    if (ask !== undefined && draw.chance(density))
      steps.push({ side: 'asks', price: ask, size: drawSize(draw, distance) })
  }
  return steps
}

/**
 * What the simulated traders do next: correct best prices that the fair price has passed, else trade, improve a best
 * price, or change an order behind it. The book is never crossed.
 */
export function nextSteps(market: KalshiMarket, fair: number): Step[] {
  const { book, draw, grid } = market
  if (book.bids.length === 0 && book.asks.length === 0) return openingSteps(market, fair)
  const [below, above] = [grid.indexBelow(fair), grid.indexAbove(fair)]
  const [highestBid, lowestAsk] = [grid.prices[below] ?? 0, grid.prices[above] ?? PRICE_ONE]
  if (book.bestBid > highestBid) return correction(market, 'bids', (price) => price > highestBid)
  if (book.bestAsk < lowestAsk) return correction(market, 'asks', (price) => price < lowestAsk)
  const side: SideName = draw.chance(0.5) ? 'bids' : 'asks'
  const kind = draw.next()
  if (kind < 0.03) return sweep(market, side, draw.chance(0.8) ? 1 : draw.whole(2, MOST_SWEPT))
  const nearest = side === 'bids' ? below : above
  const limit = grid.prices[nearest]
  const best = side === 'bids' ? book.bestBid : book.bestAsk
  if (kind < 0.2 && limit !== undefined && best !== limit) return [{ side, price: limit, size: drawSize(draw, 0) }]
  return change(market, side, nearest)
}

function correction(market: KalshiMarket, side: SideName, isPassed: (price: number) => boolean): Step[] {
  const passed = bestFirst(market, side).filter(({ price }) => isPassed(price))
  if (market.draw.chance(0.2)) return sweep(market, side, Math.min(MOST_SWEPT, passed.length))
  return passed.slice(0, MOST_CANCELLED).map(({ price }) => ({ side, price, size: 0 }))
}

/** A taker fills this many levels, the last one perhaps in part. */
function sweep(market: KalshiMarket, side: SideName, levels: number): Step[] {
  const taken = bestFirst(market, side).slice(0, levels)
  return taken.map(({ price, size }, index) => {
    const isPart = index === taken.length - 1 && market.draw.chance(0.7)
    const filled = isPart ? Math.max(1, Math.floor(size * market.draw.next())) : size
    return { side, price, size: size - filled, filled }
  })
}

function bestFirst({ book }: KalshiMarket, side: SideName): readonly { price: number; size: number }[] {
  return side === 'bids' ? book.bids.slice(-8).reverse() : book.asks.slice(0, 8)
}

/** Places, changes or cancels an order at or behind the best price. */
function change({ book, draw, grid }: KalshiMarket, side: SideName, nearest: number): Step[] {
  const distance = Math.floor(-Math.log(1 - draw.next()) * 6)
  const price = grid.prices[side === 'bids' ? nearest - distance : nearest + distance]
  if (price === undefined) return []
  const present = book.sizeAt(side, price)
  const count = book[side].length
  if (present === 0) return count < MOST_LEVELS ? [{ side, price, size: drawSize(draw, distance) }] : []
  if (count > FEWEST_LEVELS && draw.chance(0.4)) return [{ side, price, size: 0 }]
  const size = drawSize(draw, distance)
  return size === present ? [] : [{ side, price, size }]
}

export function wantsFineGrid({ book, grid }: KalshiMarket): boolean {
  return grid.name === 'linear_cent' && (book.bestBid >= FINE_GRID_ABOVE || book.bestAsk <= FINE_GRID_BELOW)
}

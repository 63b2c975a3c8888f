import { createHash } from 'node:crypto'
import { fixedNumber, random, seedOf, smoothNoise } from '../world/random.ts'
import { COINS, type Coin, type SpotPrices } from '../world/spot.ts'

export interface PerpLevel {
  px: string
  sz: string
  n: number
}

export type PerpLadders = [bids: PerpLevel[], asks: PerpLevel[]]

export interface PerpTrade {
  coin: string
  side: 'A' | 'B'
  px: string
  sz: string
  time: number
  hash: string
  tid: number
  users: [string, string]
}

export const DELISTED_COIN = 'MATIC'
const NO_HASH = `0x${'0'.repeat(64)}`
const BLOCK_MS = 70
const LEVELS = 20

export function perpCoin(name: string): Coin | undefined {
  return COINS.find(({ symbol }) => symbol === name)
}

/** Five significant figures, and no more decimals than six less those of the size. */
function priceStep(coin: Coin, price: number): number {
  const figures = Math.floor(Math.log10(price)) - 4
  return 10 ** Math.min(0, Math.max(figures, coin.perpSizeDecimals - 6))
}

/** At least one decimal, and no zeros after it. */
export function decimalText(value: number, decimals: number): string {
  const text = value.toFixed(decimals)
  return text.includes('.') ? text.replace(/(\.\d+?)0+$/, '$1') : `${text}.0`
}

/** Perpetual futures as pure functions of time: the book and trades of any block, in any order. */
export class PerpMarket {
  readonly seed: string
  readonly #spot: SpotPrices

  constructor(seed: string, spot: SpotPrices) {
    this.seed = seed
    this.#spot = spot
  }

  blockTime(atMs: number): number {
    return Math.floor(atMs / BLOCK_MS) * BLOCK_MS
  }

  oraclePrice(coin: Coin, atMs: number): number {
    return this.#spot.priceAt(coin, atMs)
  }

  /** Best first on both sides. */
  ladders(coin: Coin, atMs: number, depth = LEVELS): PerpLadders {
    const blockMs = this.blockTime(atMs)
    const { step, bidIndex } = this.#topOfBook(coin, blockMs)
    const levelsFrom = (first: number, direction: 1 | -1): PerpLevel[] => {
      const levels: PerpLevel[] = []
      for (let index = first; levels.length < depth; index += direction) {
        const level = this.#level(coin, index, step, blockMs, index === first)
        if (level !== undefined) levels.push(level)
      }
      return levels
    }
    return [levelsFrom(bidIndex, -1), levelsFrom(bidIndex + 1, 1)]
  }

  middle(coin: Coin, atMs: number): number {
    const { step, bidIndex } = this.#topOfBook(coin, this.blockTime(atMs))
    return (bidIndex + 0.5) * step
  }

  middleText(coin: Coin, atMs: number): string {
    return decimalText(this.middle(coin, atMs), 7)
  }

  /** The trades of one block, most often none. */
  tradesOfBlock(coin: Coin, blockMs: number): PerpTrade[] {
    const draw = random(this.seed, 'perp trades', coin.symbol, blockMs)
    if (!draw.chance(0.12)) return []
    const { step, bidIndex } = this.#topOfBook(coin, blockMs)
    return Array.from({ length: draw.whole(1, 2) }, (_, index) => {
      const side = draw.chance(0.5) ? 'B' : 'A'
      const price = (side === 'B' ? bidIndex + 1 : bidIndex) * step
      const digest = createHash('sha256').update(`${coin.symbol}|${blockMs}|${index}`).digest('hex')
      return {
        coin: coin.symbol,
        side,
        px: decimalText(price, decimalsOf(step)),
        sz: decimalText(
          (draw.next() * 3_000) / coin.usualPriceUsd + 10 ** -coin.perpSizeDecimals,
          coin.perpSizeDecimals,
        ),
        time: blockMs,
        // Trades without a transaction of a user have zeros.
        hash: draw.chance(0.05) ? NO_HASH : `0x${digest}`,
        tid: Number.parseInt(digest.slice(0, 12), 16),
        users: [`0x${digest.slice(0, 40)}`, `0x${digest.slice(20, 60)}`],
      }
    })
  }

  /** The trades from one time to another, not included, oldest first. */
  tradesIn(coin: Coin, { fromMs, toMs }: { fromMs: number; toMs: number }): PerpTrade[] {
    const trades: PerpTrade[] = []
    for (let blockMs = Math.ceil(fromMs / BLOCK_MS) * BLOCK_MS; blockMs < toMs; blockMs += BLOCK_MS)
      trades.push(...this.tradesOfBlock(coin, blockMs))
    return trades
  }

  /** The last trades at that moment, newest first. */
  recentTrades(coin: Coin, atMs: number, count: number): PerpTrade[] {
    const trades: PerpTrade[] = []
    for (let blockMs = this.blockTime(atMs); trades.length < count; blockMs -= BLOCK_MS) {
      trades.push(...this.tradesOfBlock(coin, blockMs))
    }
    return trades.slice(0, count)
  }

  #topOfBook(coin: Coin, blockMs: number): { step: number; bidIndex: number } {
    const premium = 0.0004 * smoothNoise(seedOf(this.seed, 'premium', coin.symbol), blockMs, 60_000)
    const price = this.#spot.priceAt(coin, blockMs) * (1 + premium)
    const step = priceStep(coin, price)
    return { step, bidIndex: Math.floor(price / step) }
  }

  /** The orders at a price change every few seconds; the best price always has some. */
  #level(coin: Coin, index: number, step: number, blockMs: number, isBest: boolean): PerpLevel | undefined {
    const seed = seedOf(this.seed, 'perp level', coin.symbol, index)
    const spell = Math.floor(blockMs / (500 + (seed % 4_000)))
    const amount = fixedNumber(seed, spell)
    if (!isBest && amount < 0.15) return undefined
    const size = (-Math.log(1 - amount * 0.999) * 60_000) / coin.usualPriceUsd + 10 ** -coin.perpSizeDecimals
    return {
      px: decimalText(index * step, decimalsOf(step)),
      sz: decimalText(size, coin.perpSizeDecimals),
      n: 1 + Math.floor(amount * 30),
    }
  }
}

function decimalsOf(step: number): number {
  return Math.max(0, Math.round(-Math.log10(step)))
}

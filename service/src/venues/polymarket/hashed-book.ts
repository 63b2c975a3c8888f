import { hash } from 'node:crypto'
import { Book, firstAtOrAbove, type Ladders, type Level, type Side } from '../../domain/book.ts'
import { PRICE_DECIMALS, SIZE_DECIMALS, textOf } from '../../domain/decimal.ts'
import type { Market } from '../../domain/market.ts'

/**
 * One token's book that can write itself as the venue does before it takes the hash. Nearly all of the work
 * of following a market is done here, so each level's text is made once, and each side's only when it changed.
 */
export class HashedBook {
  readonly #book = new Book()
  readonly #head: string
  readonly #facts: string
  readonly #tail: string
  readonly #end: string
  /** In the order of the venue: bids rising, asks falling. */
  #bidTexts: string[] = []
  #askTexts: string[] = []
  #bidsText: string | undefined
  #asksText: string | undefined

  constructor(market: Market, tokenId: string) {
    this.#head = `{"market":"${market.id}","asset_id":"${tokenId}","timestamp":"`
    this.#facts = `],"min_order_size":"${market.minOrderSize}","tick_size":"`
    this.#tail = `","neg_risk":${market.negRisk},"last_trade_price":"`
    this.#end = market.version === 'v2' ? '","version":"v2"}' : '"}'
  }

  get levels(): Book {
    return this.#book
  }

  replace(ladders: Ladders): void {
    this.#book.replace(ladders)
    this.#bidTexts = this.#book.bids.map(levelText)
    this.#askTexts = this.#book.asks.map(levelText).reverse()
    this.#bidsText = undefined
    this.#asksText = undefined
  }

  set(side: Side, price: number, size: number): void {
    const countBefore = this.#book[side].length
    this.#book.set(side, price, size)
    const levels = this.#book[side]
    const growth = levels.length - countBefore
    const rank = firstAtOrAbove(levels, price)
    const level = levels[rank]
    const written = level !== undefined && size > 0 ? [levelText(level)] : []
    const replaced = written.length - growth
    if (side === 'bids') {
      this.#bidTexts.splice(rank, replaced, ...written)
      this.#bidsText = undefined
    } else {
      this.#askTexts.splice(countBefore - rank - replaced, replaced, ...written)
      this.#asksText = undefined
    }
  }

  /** The first of these last-trade texts with which the book gives the hash. */
  proveWith(wanted: string, eventAtMs: number, tickSize: string, lastTradeTexts: Iterable<string>): string | undefined {
    // An array's join is one flat text; a sum of its parts would be put together anew for every hash.
    this.#bidsText ??= this.#bidTexts.join(',')
    this.#asksText ??= this.#askTexts.join(',')
    const text = `${this.#head}${eventAtMs}","hash":"","bids":[${this.#bidsText}],"asks":[${this.#asksText}${this.#facts}${tickSize}${this.#tail}`
    for (const lastTradeText of lastTradeTexts)
      if (hash('sha1', text + lastTradeText + this.#end) === wanted) return lastTradeText
    return undefined
  }
}

const priceTexts: string[] = []

function levelText({ price, size }: Level): string {
  priceTexts[price] ??= textOf(price, PRICE_DECIMALS)
  return `{"price":"${priceTexts[price]}","size":"${textOf(size, SIZE_DECIMALS)}"}`
}

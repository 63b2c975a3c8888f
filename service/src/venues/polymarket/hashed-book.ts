import { hash } from 'node:crypto'
import { Book, firstAtOrAbove, type Ladders, type Level, type Side } from '../../domain/book.ts'
import { PRICE_DECIMALS, SIZE_DECIMALS, textOf } from '../../domain/decimal.ts'
import type { Market } from '../../domain/market.ts'
import type { HashedFacts, HashRule } from './hash-rules.ts'
import { factsOfMarket } from './market-facts.ts'

export interface HashInputs {
  rule: HashRule
  eventAtMs: number
  tickSize: string
}

/**
 * One token's book that writes the JSON text which the venue hashes. Most of the CPU time of capture is spent here,
 * so the text of a level is made once, and the text of a side only when it changed.
 */
export class HashedBook {
  readonly #book = new Book()
  readonly #facts: HashedFacts
  /** In the venue's order: bids rising, asks falling. */
  #bidTexts: string[] = []
  #askTexts: string[] = []
  #bidsText: string | undefined
  #asksText: string | undefined

  constructor(market: Market, tokenId: string) {
    const { minOrderSize, negRisk } = factsOfMarket(market)
    this.#facts = { marketId: market.id, tokenId, minOrderSize, negRisk }
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

  /** The first of these last-trade texts with which the book has the wanted hash by this rule. */
  proveWith(wanted: string, { rule, eventAtMs, tickSize }: HashInputs, lastTradeTexts: Iterable<string>) {
    // `join` makes one flat string; a concatenated one would be flattened again for every hash.
    this.#bidsText ??= this.#bidTexts.join(',')
    this.#asksText ??= this.#askTexts.join(',')
    const head = rule.head(this.#facts, eventAtMs, this.#bidsText, this.#asksText, tickSize)
    for (const lastTradeText of lastTradeTexts)
      if (hash('sha1', head + lastTradeText + rule.tail) === wanted) return lastTradeText
    return undefined
  }
}

const priceTexts: string[] = []

function levelText({ price, size }: Level): string {
  priceTexts[price] ??= textOf(price, PRICE_DECIMALS)
  return `{"price":"${priceTexts[price]}","size":"${textOf(size, SIZE_DECIMALS)}"}`
}

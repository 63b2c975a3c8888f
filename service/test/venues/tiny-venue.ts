import { createHash } from 'node:crypto'
import type { Market } from '../../src/domain/market.ts'
import type { BookEvent, ChangeEvent, TickEvent, TradeEvent } from '../../src/venues/venue.ts'

const TINY_MARKET: Market = {
  id: '',
  venue: 'polymarket',
  tokenIds: ['7001', '7002'],
  outcomeNames: ['Yes', 'No'],
  slug: 'tiny',
  question: 'Tiny?',
  label: '',
  eventSlug: 'tiny',
  eventTitle: 'Tiny',
  venueKey: 'tiny',
  priceGrid: [],
  facts: { negRisk: true, minOrderSize: '5', version: 'v2' },
  endsAtMs: 1_790_000_000_000,
  planId: 'test',
  captureIntervalMs: 250,
  category: 'crypto',
  subcategory: 'BTC',
  timeframe: '5m',
}

/** A venue with one market that the test controls step by step; prices in 0.0001, sizes in 0.000001. */
export class TinyVenue {
  readonly market: Market
  nowMs = 1_790_000_000_000
  tickSize = '0.01'
  lastTradeText = ''
  readonly #bids = new Map<number, number>([[4_900, 5_000_000]])
  readonly #asks = new Map<number, number>([[5_100, 7_000_000]])

  constructor(id = `0x${'ab'.repeat(32)}`) {
    this.market = { ...TINY_MARKET, id }
  }

  /** The whole book of one token; a first book contains the tick size and the last trade. */
  book(outcome: 0 | 1, isFirst: boolean): BookEvent {
    const { bids, asks } = this.#ladders(outcome)
    return {
      kind: 'book',
      marketId: this.market.id,
      tokenId: this.market.tokenIds[outcome],
      bids,
      asks,
      eventAtMs: this.nowMs,
      hash: this.#hash(outcome),
      ...(isFirst && { tickSize: this.tickSize, lastTradeText: this.lastTradeText }),
    }
  }

  /** One batch, one frame for each change. */
  batch(...changes: [price: number, size: number][]): ChangeEvent[] {
    for (const [price, size] of changes) {
      const side = price < 5_000 ? this.#bids : this.#asks
      if (size === 0) side.delete(price)
      else side.set(price, size)
    }
    const hashes = [this.#hash(0), this.#hash(1)] as const
    return changes.map(([price, size]) => ({
      kind: 'change',
      marketId: this.market.id,
      eventAtMs: this.nowMs,
      entries: ([0, 1] as const).map((outcome) => ({
        tokenId: this.market.tokenIds[outcome],
        side: price < 5_000 === (outcome === 0) ? 'bids' : 'asks',
        price: outcome === 0 ? price : 10_000 - price,
        size,
        hash: hashes[outcome],
      })),
    }))
  }

  trade(price: number): TradeEvent {
    const transactionHash = `0x${'00'.repeat(32)}`
    const rest = { side: 'BUY', size: 1, tradedAtMs: this.nowMs, transactionHash } as const
    return { kind: 'trade', tokenId: this.market.tokenIds[0], trade: { marketId: this.market.id, price, ...rest } }
  }

  tick(outcome: 0 | 1): TickEvent {
    const { id, tokenIds } = this.market
    return { kind: 'tick', marketId: id, tokenId: tokenIds[outcome], tickSize: this.tickSize }
  }

  #ladders(outcome: 0 | 1): Pick<BookEvent, 'bids' | 'asks'> {
    const levels = (side: Map<number, number>, direction: 1 | -1) =>
      [...side]
        .map(([price, size]) => ({ price: outcome === 0 ? price : 10_000 - price, size }))
        .sort((one, other) => direction * (one.price - other.price))
    const [own, other] = outcome === 0 ? [this.#bids, this.#asks] : [this.#asks, this.#bids]
    return { bids: levels(own, 1), asks: levels(other, -1) }
  }

  #hash(outcome: 0 | 1): string {
    const { bids, asks } = this.#ladders(outcome)
    const written = (levels: BookEvent['bids']) =>
      levels.map(({ price, size }) => ({ price: String(price / 1e4), size: String(size / 1e6) }))
    const text = JSON.stringify({
      market: this.market.id,
      asset_id: this.market.tokenIds[outcome],
      timestamp: String(this.nowMs),
      hash: '',
      bids: written(bids),
      asks: written(asks),
      min_order_size: '5',
      tick_size: this.tickSize,
      neg_risk: true,
      last_trade_price: this.lastTradeText,
      version: 'v2',
    })
    return createHash('sha1').update(text).digest('hex')
  }
}

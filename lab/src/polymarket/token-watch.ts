import type { Level } from './book-hash.ts'
import { toUnits } from './decimal.ts'
import { changedPrices, type HeldBook, holdLevels, setLevel, sortedLevels } from './held-book.ts'
import { countsOf, type Ledger, tellProblem } from './ledger.ts'
import type { MarketWatch } from './market-watch.ts'
import { type Proof, prove } from './prove.ts'
import type { BookEvent, PriceChange } from './read-frame.ts'

/** Facts of a token that the WebSocket never sends; from Gamma or REST. */
export interface TokenFacts {
  /** The condition id. */
  readonly market: string
  readonly minOrderSize: string
  readonly negRisk: boolean
  readonly version: 'v1' | 'v2'
}

export interface StartingBook {
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
  readonly tickSize: string
}

/** All that was sent under one (hash, timestamp): price changes of a batch, the book after them, or both. */
interface Unit {
  readonly hash: string
  readonly timestamp: string
  readonly lastTradeAtStart: string | undefined
  readonly touchedPrices: Set<string>
  /** As it was when the unit began: a tick that changes meanwhile belongs to later hashes. */
  tickSize: string
  stated: string | undefined
  priceChanges: number
  books: number
  lastChange: PriceChange | undefined
}

/**
 * The book of one token as a client holds it. A hash is checked when no more frames can belong to it, that
 * is, when another one begins: only after its last frame does the book equal the hash.
 */
export interface TokenWatch {
  readonly pending: boolean
  hold(book: StartingBook): void
  takeBook(event: BookEvent): void
  takeChange(change: PriceChange, timestamp: string): void
  takeTick(tickSize: string): void
  settle(): void
}

export function createTokenWatch(assetId: string, facts: TokenFacts, market: MarketWatch, ledger: Ledger): TokenWatch {
  const provedKeys: string[] = []
  ledger.provedKeys.set(assetId, provedKeys)
  let book: HeldBook | undefined
  let tick = ''
  let unit: Unit | undefined
  let missesInARow = 0

  function unitFor(hash: string, timestamp: string): Unit {
    if (unit?.hash === hash && unit.timestamp === timestamp) return unit
    settle()
    unit = {
      hash,
      timestamp,
      lastTradeAtStart: market.lastTrade,
      touchedPrices: new Set(),
      tickSize: tick,
      stated: undefined,
      priceChanges: 0,
      books: 0,
      lastChange: undefined,
    }
    return unit
  }

  function settle(): void {
    if (!unit || !book) return
    const settled = unit
    unit = undefined
    const levels = sortedLevels(book)
    const oldValues = [settled.lastTradeAtStart, market.lastTrade].filter((value) => value !== undefined)
    const proof = prove(
      { ...facts, assetId, timestamp: settled.timestamp, tickSize: settled.tickSize, ...levels },
      settled.hash,
      {
        stated: settled.stated,
        oldValues,
        touchedPrices: settled.touchedPrices,
        tradePrice: market.tradePrice,
        // After a lost frame every hash fails until the next book, so search only after 0, 1, 2, 4, 8… failures.
        maySearch: (missesInARow & (missesInARow - 1)) === 0,
      },
    )
    if (proof) record(settled, proof, levels)
    else miss(settled)
  }

  function record(settled: Unit, proof: Proof, levels: { bids: Level[]; asks: Level[] }): void {
    missesInARow = 0
    ledger.proofs[proof.kind] += 1
    market.learn(proof, settled.timestamp, settled.stated ?? settled.lastTradeAtStart)
    const counts = countsOf(ledger, facts.market)
    counts.books += settled.books
    counts.provedBooks += settled.books
    if (settled.priceChanges === 0) return
    counts.batches += 1
    counts.provedBatches += 1
    provedKeys.push(`${settled.timestamp}:${settled.hash}`)
    const bestBid = levels.bids.at(-1)?.price ?? '0'
    const bestAsk = levels.asks.at(-1)?.price ?? '1'
    const said = settled.lastChange
    if (said && (toUnits(said.bestBid) !== toUnits(bestBid) || toUnits(said.bestAsk) !== toUnits(bestAsk)))
      ledger.wrongTops += 1
  }

  function miss({ timestamp, hash, priceChanges, books }: Unit): void {
    const counts = countsOf(ledger, facts.market)
    counts.books += books
    counts.batches += priceChanges > 0 ? 1 : 0
    counts.mismatches += 1
    const follows = missesInARow > 0
    ledger.mismatches.push({ market: facts.market, assetId, timestamp, hash, priceChanges, books, follows })
    missesInARow += 1
  }

  return {
    get pending() {
      return unit !== undefined
    },
    hold(start) {
      settle()
      book = { bids: holdLevels(start.bids), asks: holdLevels(start.asks) }
      tick = start.tickSize
    },
    takeBook(event) {
      if (event.tickSize === undefined && !book) {
        tellProblem(ledger, `${assetId}: a book without tick_size came before any that states it`)
        return
      }
      const next = { bids: holdLevels(event.bids), asks: holdLevels(event.asks) }
      const { bids, asks } = sortedLevels(next)
      if (JSON.stringify([bids, asks]) !== JSON.stringify([event.bids, event.asks]))
        tellProblem(ledger, `${assetId}: the levels of book ${event.hash} are not in the venue's order`)

      const touched = book ? [...changedPrices(book.bids, next.bids), ...changedPrices(book.asks, next.asks)] : []
      // A book that differs from its batch must not correct it: the batch is proved by itself.
      if (touched.length > 0) settle()
      const current = unitFor(event.hash, event.timestamp)
      book = next
      for (const price of touched) current.touchedPrices.add(price)
      current.books += 1
      if (event.tickSize !== undefined) {
        tick = event.tickSize
        current.tickSize = event.tickSize
      }
      if (event.lastTradePrice !== undefined) {
        current.stated = event.lastTradePrice
        market.state(event.lastTradePrice)
      }
    },
    takeChange(change, timestamp) {
      if (!book) {
        ledger.ignored += 1
        return
      }
      const current = unitFor(change.hash, timestamp)
      setLevel(change.side === 'BUY' ? book.bids : book.asks, change.price, change.size)
      current.touchedPrices.add(change.price)
      current.priceChanges += 1
      current.lastChange = change
    },
    takeTick(tickSize) {
      tick = tickSize
    },
    settle,
  }
}

import { type Ladders, PRICE_ONE, sameLadders } from '../../domain/book.ts'
import type { Market } from '../../domain/market.ts'
import { HashRuleWatch } from '../../venues/polymarket/hash-rule-watch.ts'
import { HASH_RULES } from '../../venues/polymarket/hash-rules.ts'
import { HashedBook } from '../../venues/polymarket/hashed-book.ts'
import { ProvedBook } from '../../venues/polymarket/proved-book.ts'
import { bestFirst } from '../../venues/polymarket/token-proof.ts'
import type { BookEvent, ChangeEvent, ResolvedEvent, VenueEvent } from '../../venues/venue.ts'
import type { Ledger } from '../ledger.ts'
import type { PolymarketAssumption } from './assumptions.ts'
import { isFirstBook } from './check.ts'

/** A state of one token that the socket announced. */
interface Announced {
  ladders: Ladders | undefined
  /** When the next one came. */
  endedAtMs: number | undefined
}

const TRADE_WITHIN_MS = 2_000
const MOST_STATES = 500

/** Counts the checks of one book. */
class CheckCounter extends HashRuleWatch {
  checks = 0
  failures = 0

  override proved(atMs: number): void {
    this.checks++
    super.proved(atMs)
  }

  override failed(marketId: string, isEchoEqual: boolean, atMs: number): void {
    this.checks++
    this.failures++
    super.failed(marketId, isEchoEqual, atMs)
  }
}

/** The books of one market as the recorder keeps them, and what they show about the venue. */
export class WatchedMarket {
  readonly market: Market
  readonly book: ProvedBook
  readonly hashRules = new Map<string, number>()
  /** Tokens whose whole book has not come since the last subscribe. */
  awaited: Set<string>
  doubts = 0
  /** How often its socket was lost. */
  interruptions = 0
  resolved: ResolvedEvent | undefined
  /** The venue empties both books just before it resolves a market. */
  wasEmptied = false
  readonly #ledger: Ledger<PolymarketAssumption>
  readonly #counter = new CheckCounter()
  readonly #states: readonly [Map<string, Announced>, Map<string, Announced>] = [new Map(), new Map()]
  /** Checks of first books, which `hash-rule` judges. */
  #checksBefore = 0
  #failuresBefore = 0
  #tradeAtMs = Number.NEGATIVE_INFINITY
  #booksAfterTrades: number[] = []

  constructor(market: Market, ledger: Ledger<PolymarketAssumption>) {
    this.market = market
    this.#ledger = ledger
    this.book = new ProvedBook(market, { ruleWatch: this.#counter })
    this.awaited = new Set(market.tokenIds)
  }

  get checks(): number {
    return this.#counter.checks - this.#checksBefore
  }

  get failures(): number {
    return this.#counter.failures - this.#failuresBefore
  }

  take(event: VenueEvent, atMs: number): void {
    const isFirst = event.kind === 'book' && isFirstBook(event) && this.awaited.delete(event.tokenId)
    const { checks, failures } = this.#counter
    switch (event.kind) {
      case 'resolved':
        this.resolved = event
        return
      case 'created':
        return
      case 'trade':
        this.#takeTrade(atMs)
        break
      case 'book':
        this.#announce(event.tokenId, event.hash, atMs)
        if (isFirst) this.#noteHash(event)
        else this.#noteBookAfterTrade(event, atMs)
        break
      case 'change':
        this.#announceAll(event, atMs)
        break
      case 'tick':
      case 'delta':
        break
    }
    this.book.take(event, atMs)
    if (isFirst) {
      this.#checksBefore += this.#counter.checks - checks
      this.#failuresBefore += this.#counter.failures - failures
    }
    this.#keepProved(atMs)
    if (event.kind === 'change') this.#noteChange(event)
  }

  /** The socket was lost: it will subscribe again. */
  interrupt(): void {
    this.interruptions++
    this.awaited = new Set(this.market.tokenIds)
    this.#booksAfterTrades = []
    this.book.distrust({ cause: 'disconnected', detail: 'socket lost' })
  }

  settle(nowMs: number): void {
    this.book.settle(nowMs)
    this.#keepProved(nowMs)
    this.doubts += this.book.takeDoubts().length
    const late = this.#booksAfterTrades.filter((atMs) => nowMs - atMs > TRADE_WITHIN_MS)
    if (late.length === 0) return
    this.#booksAfterTrades = this.#booksAfterTrades.filter((atMs) => nowMs - atMs <= TRADE_WITHIN_MS)
    for (const _ of late) this.#ledger.observe('trade-announced', false, `no last_trade_price in ${this.market.slug}`)
  }

  /** Whether this REST book was a state of the socket at that time or later. */
  hadState({ tokenId, hash, bids, asks }: BookEvent, sinceMs: number): boolean {
    const known = this.#statesOf(tokenId)?.get(hash)
    if (known === undefined || (known.endedAtMs ?? Number.POSITIVE_INFINITY) < sinceMs) return false
    return known.ladders === undefined || sameLadders(known.ladders, bestFirst({ bids, asks }))
  }

  #statesOf(tokenId: string): Map<string, Announced> | undefined {
    return this.#states[this.market.tokenIds.indexOf(tokenId)]
  }

  #announceAll({ entries }: ChangeEvent, atMs: number): void {
    for (const { tokenId, hash } of entries) this.#announce(tokenId, hash, atMs)
  }

  #announce(tokenId: string, hash: string, atMs: number, ladders?: Ladders): void {
    const states = this.#statesOf(tokenId)
    if (states === undefined) return
    const known = states.get(hash)
    if (known !== undefined) {
      known.ladders ??= ladders
      return
    }
    const last = [...states.values()].at(-1)
    if (last !== undefined) last.endedAtMs ??= atMs
    states.set(hash, { ladders, endedAtMs: undefined })
    if (states.size > MOST_STATES) states.delete(states.keys().next().value ?? '')
  }

  #keepProved(atMs: number): void {
    const state = this.book.proved
    if (state === undefined) return
    this.wasEmptied ||= [state.up, state.down].every(({ bids, asks }) => bids.length === 0 && asks.length === 0)
    const [up, down] = this.market.tokenIds
    if (state.isUpVerified) this.#announce(up, state.upHash, atMs, state.up)
    if (state.isDownVerified) this.#announce(down, state.downHash, atMs, state.down)
  }

  #takeTrade(atMs: number): void {
    this.#tradeAtMs = atMs
    for (const _ of this.#booksAfterTrades) this.#ledger.observe('trade-announced', true)
    this.#booksAfterTrades = []
  }

  #noteBookAfterTrade({ tokenId }: BookEvent, atMs: number): void {
    if (tokenId !== this.market.tokenIds[0]) return
    if (atMs - this.#tradeAtMs <= TRADE_WITHIN_MS) this.#ledger.observe('trade-announced', true)
    else this.#booksAfterTrades.push(atMs)
  }

  #noteHash(event: BookEvent): void {
    const { tickSize, lastTradeText, eventAtMs, hash } = event
    const hasInputs = tickSize !== undefined && lastTradeText !== undefined
    this.#ledger.observe('first-book-inputs', hasInputs, JSON.stringify({ ...event, bids: [], asks: [] }))
    if (!hasInputs) return
    const book = new HashedBook(this.market, event.tokenId)
    book.replace(event)
    const rule = HASH_RULES.find(
      (each) => book.proveWith(hash, { rule: each, eventAtMs, tickSize }, [lastTradeText]) !== undefined,
    )
    this.#ledger.observe('hash-rule', rule !== undefined, JSON.stringify(event))
    if (rule !== undefined) this.hashRules.set(rule.name, (this.hashRules.get(rule.name) ?? 0) + 1)
  }

  #noteChange({ entries }: ChangeEvent): void {
    const { tokenIds } = this.market
    const tokens = new Set(entries.map(({ tokenId }) => tokenId))
    const hasBoth = tokens.size === 2 && tokenIds.every((id) => tokens.has(id))
    this.#ledger.observe('both-tokens', hasBoth, hasBoth ? undefined : JSON.stringify(entries))
    const state = this.book.proved
    if (state === undefined) return
    for (const { tokenId, hash, bestBid, bestAsk } of entries) {
      const isUp = tokenId === tokenIds[0]
      if (hash !== (isUp ? state.upHash : state.downHash) || !(isUp ? state.isUpVerified : state.isDownVerified))
        continue
      if (bestBid === undefined || bestAsk === undefined) continue
      const { bids, asks } = isUp ? state.up : state.down
      const isEqual = (bids[0]?.price ?? 0) === bestBid && (asks[0]?.price ?? PRICE_ONE) === bestAsk
      this.#ledger.observe(
        'best-prices',
        isEqual,
        `book ${bids[0]?.price}/${asks[0]?.price}, frame ${bestBid}/${bestAsk} (1 is ${PRICE_ONE})`,
      )
    }
  }
}

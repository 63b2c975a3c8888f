import { HASH_RULES, type HashRule } from './hash-rules.ts'
import { lastTradeTexts } from './last-trade.ts'
import type { SearchBudget } from './search-budget.ts'

/** A trade event comes 34 to 39 ms after its book; an older trade can't explain a hash. */
const TRADE_MEMORY_MS = 2_000
const MOST_TRADES = 16
/** A hash made just before a change of the tick size still has the old one. */
const TICK_MEMORY_MS = 1_000
const SEARCH_EVERY_MS = 1_000

/** See `BinaryBook.checkpoint`. */
export interface CluesCheckpoint {
  readonly lastTradeText?: string | undefined
  readonly rule: string
  readonly tickSize?: string | undefined
  readonly oldTickSize?: string | undefined
  readonly tickChangedAtMs: number
  readonly trades: readonly { price: number; atMs: number }[]
  readonly searchedAtMs?: number | undefined
}

/** Candidates for the hash inputs that the venue sends late or never: the last trade, the tick size and the rule; shared by both tokens of a market. */
export class HashClues {
  /** From the newest proof, or the newest book that contained it. */
  lastTradeText: string | undefined
  #rule: HashRule
  #tickSize: string | undefined
  #oldTickSize: string | undefined
  #tickChangedAtMs = 0
  #trades: { price: number; atMs: number }[] = []
  #searchedAtMs: number | undefined
  readonly #budget: SearchBudget

  constructor(rule: HashRule, budget: SearchBudget) {
    this.#rule = rule
    this.#budget = budget
  }

  checkpoint(): CluesCheckpoint {
    return {
      lastTradeText: this.lastTradeText,
      rule: this.#rule.name,
      tickSize: this.#tickSize,
      oldTickSize: this.#oldTickSize,
      tickChangedAtMs: this.#tickChangedAtMs,
      trades: [...this.#trades],
      searchedAtMs: this.#searchedAtMs,
    }
  }

  restore({
    lastTradeText,
    rule,
    tickSize,
    oldTickSize,
    tickChangedAtMs,
    trades,
    searchedAtMs,
  }: CluesCheckpoint): void {
    this.lastTradeText = lastTradeText
    this.#rule = HASH_RULES.find(({ name }) => name === rule) ?? this.#rule
    this.#tickSize = tickSize
    this.#oldTickSize = oldTickSize
    this.#tickChangedAtMs = tickChangedAtMs
    this.#trades = [...trades]
    this.#searchedAtMs = searchedAtMs
  }

  /** The rule by which the last book of this market was proved. */
  get rule(): HashRule {
    return this.#rule
  }

  noteRule(rule: HashRule): void {
    this.#rule = rule
  }

  /** The rules that the market may follow instead, as when the catalogue has a wrong version. */
  get otherRules(): readonly HashRule[] {
    return HASH_RULES.filter((rule) => rule !== this.#rule)
  }

  get tickSize(): string | undefined {
    return this.#tickSize
  }

  noteTick(tickSize: string, atMs: number): void {
    if (tickSize === this.#tickSize) return
    this.#oldTickSize = this.#tickSize
    this.#tickSize = tickSize
    this.#tickChangedAtMs = atMs
  }

  noteTrade(price: number, atMs: number): void {
    this.#trades.push({ price, atMs })
    if (this.#trades.length > MOST_TRADES) this.#trades.shift()
  }

  /** The most likely first. */
  tickSizes(atMs: number): string[] {
    if (this.#tickSize === undefined) return []
    const mayBeOld = this.#oldTickSize !== undefined && atMs - this.#tickChangedAtMs < TICK_MEMORY_MS
    return mayBeOld && this.#oldTickSize !== undefined ? [this.#tickSize, this.#oldTickSize] : [this.#tickSize]
  }

  /** Last-trade texts of recent trades, newest first. */
  tradedTexts(atMs: number): string[] {
    return this.#trades
      .filter((trade) => atMs - trade.atMs < TRADE_MEMORY_MS)
      .toReversed()
      .flatMap(({ price }) => lastTradeTexts(price))
  }

  /** Trying every text takes milliseconds, so a wrong book may not do it at every frame. */
  maySearch(atMs: number): boolean {
    const wasJustSearched = this.#searchedAtMs !== undefined && atMs - this.#searchedAtMs < SEARCH_EVERY_MS
    if (wasJustSearched || !this.#budget.mayTake(atMs)) return false
    this.#searchedAtMs = atMs
    return true
  }
}

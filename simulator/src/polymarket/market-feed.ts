import type { Delivery } from '../delivery.ts'
import type { Switchboard } from '../faults/switchboard.ts'
import type { Market } from '../world/market.ts'
import { fixedNumber } from '../world/random.ts'
import type { Batch, Happening, World } from '../world/world.ts'
import {
  bestBidAskText,
  bookText,
  hashesOf,
  marketResolvedText,
  newMarketText,
  priceChangeText,
  tickSizeText,
  tradeText,
} from './frames.ts'
import { hashRule } from './hash-rule.ts'
import { clockOffsetMs, FEED, MarketReaders, type Reader } from './market-readers.ts'

const OUTCOMES = [0, 1] as const
const SHARE_OF_BEST_PRICES_NOT_SENT = 0.02
const SHARE_OF_LATER_BEST_PRICES = 0.01
/** Of the batches of busy markets; half of them are overtaken by another change and then not sent again. */
const SHARE_OF_DUPLICATES = 0.04
const LATEST_DUPLICATE_MS = 120

/** The market WebSocket: turns what happens in the world into frames. */
export class MarketFeed {
  readonly #readers: MarketReaders
  readonly #world: World
  readonly #faults: Switchboard

  constructor(world: World, faults: Switchboard) {
    this.#world = world
    this.#faults = faults
    this.#readers = new MarketReaders(world, faults)
  }

  accept(delivery: Delivery): void {
    this.#readers.accept(delivery)
  }

  /** Sends the frames of a market event to all subscribers. */
  publish(happening: Happening): void {
    const { market } = happening
    const stampMs = happening.atMs + clockOffsetMs(this.#faults)
    switch (happening.kind) {
      case 'batch':
        return this.#sendBatch(happening, stampMs)
      case 'trade':
        return this.#sendToToken(market, happening.trade.outcome, () => tradeText(market, happening.trade, stampMs))
      case 'tick':
        for (const outcome of this.#world.behaviours.has('ticks-twice') ? [...OUTCOMES, ...OUTCOMES] : OUTCOMES) {
          this.#sendToToken(market, outcome, () => tickSizeText(market, outcome, happening.from, happening.to, stampMs))
        }
        return
      case 'created':
        for (const reader of this.#readers.all) {
          if (reader.hasCustomEvents) reader.delivery.send(newMarketText(market, stampMs), market.conditionId)
        }
        return
      case 'resolved':
        return this.#sendResolution(market, happening.isLost, stampMs)
    }
  }

  #sendResolution(market: Market, isLost: boolean, stampMs: number): void {
    if (isLost) this.#faults.note('lost-resolutions', { market: market.conditionId })
    else {
      const text = marketResolvedText(market, stampMs)
      for (const reader of this.#followersOf(market))
        if (reader.hasCustomEvents) reader.delivery.send(text, market.conditionId)
    }
    if (this.#world.behaviours.has('close-when-all-resolved')) this.#readers.closeFinished(market)
  }

  #sendBatch(batch: Batch, stampMs: number): void {
    const { market, changes, topMoved, trade, hashedAs = market, habit } = batch
    if (habit !== undefined) this.#faults.note(habit, { market: market.conditionId })
    const followers = this.#followersOf(market)
    if (followers.length === 0) return
    const hashes = hashesOf(hashedAs, stampMs, hashRule(this.#faults))
    if (topMoved && fixedNumber(market.order, stampMs) >= SHARE_OF_BEST_PRICES_NOT_SENT) {
      this.#sendBestPrices(market, stampMs)
    }
    const omission = this.#faults.isQuiet
      ? undefined
      : this.#faults.strike('omit-change', { feed: FEED, market: market.conditionId })
    for (const change of omission === undefined ? changes : changes.slice(1)) {
      const text = priceChangeText(market, change, stampMs, hashes)
      for (const { delivery } of followers) delivery.send(text, market.conditionId)
      this.#perhapsRepeat(batch, text)
    }
    if (trade === undefined) return
    for (const outcome of OUTCOMES) {
      this.#sendToToken(market, outcome, () => bookText(market, outcome, stampMs, hashes[outcome]))
    }
  }

  #sendBestPrices(market: Market, stampMs: number): void {
    const isLater =
      this.#world.behaviours.has('mixed-stamps') && fixedNumber(market.order + 1, stampMs) < SHARE_OF_LATER_BEST_PRICES
    const shownMs = isLater ? stampMs + 1 : stampMs
    for (const outcome of OUTCOMES) {
      const write = (): string => bestBidAskText(market, outcome, shownMs)
      this.#sendToToken(market, outcome, write, (reader) => reader.hasCustomEvents)
    }
  }

  /** Never after another change of the market: frames of one type stay in order. */
  #perhapsRepeat({ market, atMs, changes }: Batch, text: string): void {
    if (!this.#world.behaviours.has('late-duplicates') || market.activity !== 'hot' || changes.length > 1) return
    const share = fixedNumber(market.order + 2, atMs)
    if (share >= SHARE_OF_DUPLICATES) return
    this.#world.after(Math.floor((share / SHARE_OF_DUPLICATES) * LATEST_DUPLICATE_MS), () => {
      if (market.changedAtMs !== atMs) return
      this.#faults.note('late-duplicates', { market: market.conditionId })
      for (const { delivery } of this.#readers.ofMarket(market)) delivery.send(text, market.conditionId)
    })
  }

  /** Subscribers of either token; the fault `stray-market` adds clients that did not subscribe. */
  #followersOf(market: Market): Reader[] {
    const followers = [...this.#readers.ofMarket(market)]
    if (this.#faults.isQuiet) return followers
    for (const reader of this.#readers.all) {
      if (followers.includes(reader) || reader.tokens.size === 0) continue
      const occasion = { feed: FEED, connection: reader.delivery.id, market: market.conditionId }
      if (this.#faults.strike('stray-market', occasion)) followers.push(reader)
    }
    return followers
  }

  #sendToToken(
    market: Market,
    outcome: 0 | 1,
    text: () => string,
    isIncluded: (reader: Reader) => boolean = () => true,
  ): void {
    let made: string | undefined
    for (const reader of this.#readers.ofMarket(market)) {
      if (!reader.tokens.has(market.tokenIds[outcome]) || !isIncluded(reader)) continue
      made ??= text()
      reader.delivery.send(made, market.conditionId)
    }
  }
}

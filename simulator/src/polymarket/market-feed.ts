import type { Delivery } from '../delivery.ts'
import type { Switchboard } from '../faults/switchboard.ts'
import type { Market } from '../world/market.ts'
import { fixedNumber } from '../world/random.ts'
import type { Batch, Happening, World } from '../world/world.ts'
import { type Audience, type FeedFrame, type FrameOptions, feedFrames, type MarketHappening } from './feed-frames.ts'
import { newMarketText } from './frames.ts'
import { hashRule } from './hash-rule.ts'
import { clockOffsetMs, FEED, MarketReaders, type Reader } from './market-readers.ts'
import type { Tape, WrittenFrame } from './tape/tape.ts'

/** Of the batches of busy markets; half of them are overtaken by another change and then not sent again. */
const SHARE_OF_DUPLICATES = 0.04
const LATEST_DUPLICATE_MS = 120

/** The market WebSocket: turns what happens in the world into frames. */
export class MarketFeed {
  readonly #readers: MarketReaders
  readonly #world: World
  readonly #faults: Switchboard
  readonly #tape: Tape | undefined

  constructor(world: World, faults: Switchboard, tape?: Tape) {
    this.#world = world
    this.#faults = faults
    this.#tape = tape
    this.#readers = new MarketReaders(world, faults)
  }

  accept(delivery: Delivery): void {
    this.#readers.accept(delivery)
  }

  /** Sends the frames of a market event to all subscribers. */
  publish(happening: Happening): void {
    const stampMs = happening.atMs + clockOffsetMs(this.#faults)
    if (happening.kind === 'created') return this.#announce(happening.market, stampMs)
    const written = this.#tape?.framesOf(happening)
    if (written !== undefined && this.#faults.isQuiet) this.#sendWritten(happening.market, written)
    else this.#writeAndSend(happening, stampMs)
    if (happening.kind === 'resolved' && this.#world.behaviours.has('close-when-all-resolved'))
      this.#readers.closeFinished(happening.market)
  }

  #announce(market: Market, stampMs: number): void {
    for (const reader of this.#readers.all) {
      if (reader.hasCustomEvents) reader.delivery.send(newMarketText(market, stampMs), market.conditionId)
    }
  }

  #sendWritten(market: Market, frames: Iterable<WrittenFrame>): void {
    const followers = this.#readers.ofMarket(market)
    if (followers.size === 0) return
    for (const frame of frames)
      for (const reader of followers) if (isFor(frame, market, reader)) reader.delivery.sendWritten(frame.bytes)
  }

  #writeAndSend(happening: MarketHappening, stampMs: number): void {
    const { market } = happening
    const options = { stampMs, behaviours: this.#world.behaviours, rule: hashRule(this.#faults) }
    switch (happening.kind) {
      case 'batch':
        return this.#sendBatch(happening, options)
      case 'resolved':
        if (happening.isLost) this.#faults.note('lost-resolutions', { market: market.conditionId })
        for (const frame of feedFrames(happening, options)) send(frame, market, this.#followersOf(market))
        return
      case 'trade':
      case 'tick':
        for (const frame of feedFrames(happening, options)) send(frame, market, this.#readers.ofMarket(market))
    }
  }

  #sendBatch(batch: Batch, options: FrameOptions): void {
    const { market, changes, habit } = batch
    if (habit !== undefined) this.#faults.note(habit, { market: market.conditionId })
    const followers = this.#followersOf(market)
    if (followers.length === 0) return
    const omission = this.#faults.isQuiet
      ? undefined
      : this.#faults.strike('omit-change', { feed: FEED, market: market.conditionId })
    const sent = omission === undefined ? changes : changes.slice(1)
    for (const frame of feedFrames(batch, { ...options, changes: sent })) {
      const text = send(frame, market, followers)
      if (frame.outcome === undefined && text !== undefined) this.#perhapsRepeat(batch, text)
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
}

function isFor({ outcome, isCustom }: Audience, market: Market, reader: Reader): boolean {
  if (isCustom && !reader.hasCustomEvents) return false
  return outcome === undefined || reader.tokens.has(market.tokenIds[outcome])
}

/** Returns the text, if someone gets it. */
function send(frame: FeedFrame, market: Market, readers: Iterable<Reader>): string | undefined {
  let text: string | undefined
  for (const reader of readers) {
    if (!isFor(frame, market, reader)) continue
    text ??= frame.write()
    reader.delivery.send(text, market.conditionId)
  }
  return text
}

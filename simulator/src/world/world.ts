import TinyQueue from 'tinyqueue'
import type { Behaviour } from './behaviours.ts'
import { type Change, PRICE_ONE } from './book.ts'
import type { BrokenRule } from './broken-rules.ts'
import {
  WINDOW_SERIES,
  type Window,
  type WindowSeries,
  windowAfter,
  windowAt,
  windowDraft,
} from './catalogue/crypto-windows.ts'
import { DAY_MS, type EventDraft } from './catalogue/draft.ts'
import { moreMarketsOf } from './catalogue/sports.ts'
import { fairPrice, windowWinner } from './fair-price.ts'
import { type BatchHabit, Habits } from './habits.ts'
import { type Activity, CHANGES_PER_SECOND, eventFrom, type Market, marketFrom, type VenueEvent } from './market.ts'
import { fixedNumber, seedOf } from './random.ts'
import { type Roster, roster, type WorldSize } from './roster.ts'
import { type SpotPrices, spotPrices } from './spot.ts'
import { finerTick, openingChanges, quietChanges, type Trade, takeTurn } from './trading.ts'

export interface WorldOptions {
  seed: string
  startMs: number
  size: WorldSize
  /** Activity of crypto windows while they are open; default: hot. */
  openWindows?: Activity
  /** Habits of the real venues; default: none. */
  behaviours?: readonly Behaviour[]
  /** Rules that the venues of this world do not keep; default: none. */
  broken?: readonly BrokenRule[]
}

/** A batch of changes of one book. */
export interface Batch {
  kind: 'batch'
  market: Market
  atMs: number
  changes: Change[]
  topMoved: boolean
  trade?: Trade
  /** The hash of the batch is that of this state and not of the market's own, because of the habit. */
  hashedAs?: Market
  habit?: BatchHabit | 'tick-in-hash-first'
}

/** An event that the venue publishes. The market holds the state after the event. */
export type Happening =
  | Batch
  | { kind: 'trade'; market: Market; atMs: number; trade: Trade }
  | { kind: 'tick'; market: Market; atMs: number; from: number; to: number }
  | { kind: 'created'; market: Market; atMs: number }
  | { kind: 'resolved'; market: Market; atMs: number; isLost: boolean }

interface PlannedEvent {
  atMs: number
  /** Events of the same millisecond run in the order in which they were planned. */
  number: number
  run: () => void
}

const RESOLVED_AFTER_EMPTIED_MS = 30
const TICK_CHANGES_AFTER_MS = 3
/** Within which an unexplained hash is followed by one that matches. */
const UNEXPLAINED_FOR_MS = { busy: 750, quiet: 48 } as const
/** Not a price, so that no search for the price of a trade finds it. */
const NO_PRICE = '-'
const NO_WAIT_MS = 0
const ANNOUNCED_EVERY_MS = [700, 1_600] as const
const AHEAD_MS = [1, 2] as const

/** The simulated world: markets with their own clock. `advance` runs every event up to the given time. */
export class World {
  readonly spot: SpotPrices
  readonly events: VenueEvent[] = []
  readonly markets = new Map<string, Market>()
  readonly tokens = new Map<string, { market: Market; outcome: 0 | 1 }>()
  readonly behaviours: ReadonlySet<Behaviour>
  readonly broken: ReadonlySet<BrokenRule>
  nowMs: number

  readonly #seed: string
  readonly #habits: Habits
  readonly #openWindows: Activity
  readonly #roster: Roster
  readonly #publishEvent: (happening: Happening) => void
  readonly #planned = new TinyQueue<PlannedEvent>(
    [],
    (one, other) => one.atMs - other.atMs || one.number - other.number,
  )
  #plannedCount = 0

  constructor(
    { seed, startMs, size, openWindows = 'hot', behaviours = [], broken = [] }: WorldOptions,
    publishEvent: (happening: Happening) => void,
  ) {
    this.#seed = seed
    this.#openWindows = openWindows
    this.#publishEvent = publishEvent
    this.behaviours = new Set(behaviours)
    this.broken = new Set(broken)
    this.#habits = new Habits(seed, this.behaviours)
    this.nowMs = startMs
    this.spot = spotPrices(seed)
    this.#roster = roster(seed, startMs, size)
    for (const series of this.#roster.series) this.#openSeries(series)
    for (const { draft, activities } of this.#roster.longLived) {
      this.#addLongLived(draft, activities)
      const sibling = this.behaviours.has('more-markets') ? moreMarketsOf(draft) : undefined
      if (sibling !== undefined) this.#addLongLived(sibling, [])
    }
    if (this.behaviours.has('new-market-flood')) this.#planAnnouncement()
  }

  #addLongLived(draft: EventDraft, activities: readonly Activity[]): void {
    const createdAtMs = this.nowMs - 3 * 86_400_000
    const event = this.#addEvent(eventFrom(this.#seed, draft, 1_000_000 + this.events.length, createdAtMs))
    for (const [index, marketDraft] of draft.markets.entries()) {
      const created = { gammaId: 5_000_000 + this.markets.size, createdAtMs, listedAtMs: createdAtMs }
      const market = marketFrom(this.#seed, event, marketDraft, { order: this.markets.size, ...created })
      market.activity = activities[index] ?? 'cold'
      this.#addMarket(market)
    }
  }

  /** Announces windows a day ahead, which are not yet part of the world, series after series. */
  #planAnnouncement(count = 0, announced = new Map<WindowSeries, Window>()): void {
    const series = WINDOW_SERIES[count % WINDOW_SERIES.length]
    if (series === undefined) return
    const share = fixedNumber(seedOf(this.#seed, 'announcement'), count)
    const [atLeastMs, atMostMs] = ANNOUNCED_EVERY_MS
    this.after(atLeastMs + Math.floor(share * (atMostMs - atLeastMs)), () => {
      const last = announced.get(series)
      const window =
        last === undefined ? windowAt(series.length, this.nowMs + DAY_MS) : windowAfter(series.length, last)
      announced.set(series, window)
      const market = this.#windowMarket(series, window, this.nowMs + 60_000)
      this.#publishEvent({ kind: 'created', market, atMs: this.nowMs })
      this.#planAnnouncement(count + 1, announced)
    })
  }

  /** Runs every event up to and including that time. */
  advance(toMs: number): void {
    for (let next = this.#planned.peek(); next !== undefined && next.atMs <= toMs; next = this.#planned.peek()) {
      this.#planned.pop()
      this.nowMs = next.atMs
      next.run()
    }
    this.nowMs = Math.max(this.nowMs, toMs)
  }

  /** Resolves a market before its end, as the venue does when the outcome is certain. */
  settleNow(market: Market): void {
    market.resolveAtMs = this.nowMs
    this.#settle(market)
  }

  /** Runs something later in the time of the world. */
  after(delayMs: number, run: () => void): void {
    this.#plan(this.nowMs + delayMs, run)
  }

  fairPrice(market: Market): number {
    return fairPrice(market, this.spot, this.nowMs)
  }

  #plan(atMs: number, run: () => void): void {
    this.#planned.push({ atMs, number: this.#plannedCount++, run })
  }

  #addEvent(event: VenueEvent): VenueEvent {
    this.events.push(event)
    return event
  }

  #addMarket(market: Market): void {
    if (this.markets.has(market.conditionId)) throw new Error(`two markets have the slug ${market.draft.slug}`)
    market.event.markets.push(market)
    this.markets.set(market.conditionId, market)
    market.resolveAtMs = this.#habits.resolveAtMs(market)
    for (const outcome of [0, 1] as const) this.tokens.set(market.tokenIds[outcome], { market, outcome })
    if (market.listedAtMs <= this.nowMs) this.#list(market)
    else this.#plan(market.listedAtMs, () => this.#list(market))
    this.#plan(Math.max(market.resolveAtMs, this.nowMs), () => this.#settle(market))
  }

  /** Adds the windows of a series that exist at the start; each later one is added when a window opens. */
  #openSeries(series: WindowSeries): void {
    let window = windowAt(series.length, this.nowMs)
    this.#addWindow(series, window, this.nowMs - 60_000)
    for (let ahead = 1; ahead <= this.#roster.windowsAhead; ahead++) {
      window = windowAfter(series.length, window)
      this.#addWindow(series, window, this.nowMs - 60_000)
    }
    this.#planRoll(series, window)
  }

  #planRoll(series: WindowSeries, farthest: Window): void {
    const current = windowAt(series.length, this.nowMs)
    this.#plan(current.endMs, () => {
      const added = windowAfter(series.length, farthest)
      const market = this.#addWindow(series, added, this.nowMs + 60_000)
      this.#publishEvent({ kind: 'created', market, atMs: this.nowMs })
      this.#planRoll(series, added)
    })
  }

  #windowMarket(series: WindowSeries, window: Window, listedAtMs: number): Market {
    const draft = windowDraft(series, window)
    // An id for each five minutes and series: increases with time and is the same in every run.
    const number = (window.startMs / 300_000) * 64 + series.order
    const createdAtMs = Math.min(this.nowMs, listedAtMs)
    const event = eventFrom(this.#seed, draft, number, createdAtMs)
    const [marketDraft] = draft.markets
    if (marketDraft === undefined) throw new Error(`window ${draft.slug} has no market`)
    const numbers = { order: this.markets.size, gammaId: number, createdAtMs, listedAtMs }
    return marketFrom(this.#seed, event, marketDraft, numbers)
  }

  #addWindow(series: WindowSeries, window: Window, listedAtMs: number): Market {
    const market = this.#windowMarket(series, window, listedAtMs)
    this.#addEvent(market.event)
    const lengthMs = window.endMs - window.startMs
    const steps: [atMs: number, activity: Activity][] = [
      [window.startMs - lengthMs, 'medium'],
      [window.startMs, this.#openWindows],
      [window.endMs, 'medium'],
    ]
    for (const [atMs, activity] of steps) {
      if (atMs <= this.nowMs) market.activity = activity
      else this.#plan(atMs, () => this.#changeActivity(market, activity))
    }
    this.#addMarket(market)
    return market
  }

  #changeActivity(market: Market, activity: Activity): void {
    market.activity = activity
    if (market.phase === 'trading') this.#planTurn(market)
  }

  #list(market: Market): void {
    market.phase = 'trading'
    for (const change of openingChanges(market, this.fairPrice(market))) market.book.apply(change)
    // A book that is not new was last changed in the past.
    market.changedAtMs = Math.max(
      market.listedAtMs,
      this.nowMs - market.draw.waitMs(CHANGES_PER_SECOND[market.activity]),
    )
    this.#planTurn(market)
  }

  #planTurn(market: Market, atLeastMs = NO_WAIT_MS): void {
    market.turn++
    const turn = market.turn
    const waitMs = Math.max(atLeastMs, market.draw.waitMs(CHANGES_PER_SECOND[market.activity]))
    this.#plan(this.nowMs + waitMs, () => {
      if (market.turn !== turn || market.phase !== 'trading') return
      this.#planTurn(market, this.#doTurn(market))
    })
  }

  /** Returns the time that must pass before the market's next turn. */
  #doTurn(market: Market): number {
    const { changes, trade } = takeTurn(market, this.fairPrice(market))
    if (changes.length === 0) return NO_WAIT_MS
    if (trade !== undefined) this.#recordTrade(market, trade)
    const batch = this.#apply(market, changes)
    const shown = trade === undefined ? this.#withHabit(batch) : { batch: { ...batch, trade } }
    this.#publishEvent(shown.batch)
    if (finerTick(market) !== undefined) this.#plan(this.nowMs + TICK_CHANGES_AFTER_MS, () => this.#changeTick(market))
    if (shown.next === undefined) return NO_WAIT_MS
    const { afterMs, changes: nextChanges } = shown.next
    const { changedAtMs } = market
    this.#plan(this.nowMs + afterMs, () => {
      if (market.phase !== 'trading' || market.changedAtMs !== changedAtMs) return
      const following = nextChanges ?? quietChanges(market, this.fairPrice(market))
      if (following.length > 0) this.#publishEvent(this.#apply(market, following))
    })
    return afterMs + 1
  }

  /** The batch with the hash that the venue's habits give it, and the batch that then soon follows. */
  #withHabit(batch: Batch): { batch: Batch; next?: { afterMs: number; changes?: Change[] } } {
    const { market, atMs } = batch
    if (this.#habits.showsInBatch('unannounced-trade-prices', market, atMs)) {
      market.lastTradeText = (market.draw.whole(1, 999) / 1000).toFixed(3)
      return { batch: { ...batch, habit: 'unannounced-trade-prices' } }
    }
    if (this.#habits.showsInBatch('hash-ahead', market, atMs)) {
      const changes = quietChanges(market, this.fairPrice(market))
      const hashedAs = { ...market, book: market.book.with(changes) }
      const afterMs = market.draw.pick(AHEAD_MS)
      return { batch: { ...batch, hashedAs, habit: 'hash-ahead' }, next: { afterMs, changes } }
    }
    if (this.#habits.showsInBatch('unexplained-hashes', market, atMs)) {
      const hashedAs = { ...market, lastTradeText: NO_PRICE }
      const afterMs = market.draw.whole(10, UNEXPLAINED_FOR_MS[market.activity === 'hot' ? 'busy' : 'quiet'])
      return { batch: { ...batch, hashedAs, habit: 'unexplained-hashes' }, next: { afterMs } }
    }
    const tickSize = this.behaviours.has('tick-in-hash-first') ? finerTick(market) : undefined
    if (tickSize === undefined) return { batch }
    return { batch: { ...batch, hashedAs: { ...market, tickSize }, habit: 'tick-in-hash-first' } }
  }

  #changeTick(market: Market): void {
    const from = market.tickSize
    const to = finerTick(market)
    if (to === undefined || market.phase !== 'trading') return
    market.tickSize = to
    // The tick is part of the hash, and the venue never publishes two hashes of one book with the same time.
    market.changedAtMs = this.nowMs
    this.#publishEvent({ kind: 'tick', market, atMs: this.nowMs, from, to })
  }

  #recordTrade(market: Market, trade: Trade): void {
    const { draw } = market
    const shown = draw.chance(0.5) ? trade.price : PRICE_ONE - trade.price
    market.lastTradeText = (shown / PRICE_ONE).toFixed(3)
    market.lastTrade = { price: trade.price, side: trade.side }
    market.volume += Number(trade.sizeText)
    this.#plan(this.nowMs + this.#habits.tradeDelayMs(market, draw.whole(34, 39)), () =>
      this.#publishEvent({ kind: 'trade', market, atMs: this.nowMs, trade }),
    )
  }

  #apply(market: Market, changes: Change[]): Batch {
    const { bestBid, bestAsk } = market.book
    for (const change of changes) market.book.apply(change)
    market.changedAtMs = this.nowMs
    const topMoved = market.book.bestBid !== bestBid || market.book.bestAsk !== bestAsk
    return { kind: 'batch', market, atMs: this.nowMs, changes, topMoved }
  }

  /** The venue removes all levels in one batch, publishes the winner, and then has no book of the market. */
  #settle(market: Market): void {
    if (market.phase === 'emptied' || market.phase === 'resolved') return
    const removals = (['bids', 'asks'] as const).flatMap((side) =>
      market.book[side].map(({ price }) => ({ side, price, size: 0 })),
    )
    market.phase = 'emptied'
    if (removals.length > 0) this.#publishEvent(this.#apply(market, removals))
    this.#plan(this.nowMs + RESOLVED_AFTER_EMPTIED_MS, () => {
      market.phase = 'resolved'
      market.winner = windowWinner(market, this.spot)
      this.#plan(this.nowMs + this.#habits.gammaCloseDelayMs(market), () => {
        market.isShownClosed = true
      })
      this.#publishEvent({ kind: 'resolved', market, atMs: this.nowMs, isLost: this.#habits.losesResolution(market) })
    })
  }
}

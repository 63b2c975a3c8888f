import TinyQueue from 'tinyqueue'
import { type Change, PRICE_ONE } from './book.ts'
import { type Window, type WindowSeries, windowAfter, windowAt, windowDraft } from './catalogue/crypto-windows.ts'
import { fairPrice, windowWinner } from './fair-price.ts'
import { type Activity, CHANGES_PER_SECOND, eventFrom, type Market, marketFrom, type VenueEvent } from './market.ts'
import { type Roster, roster, type WorldSize } from './roster.ts'
import { type SpotPrices, spotPrices } from './spot.ts'
import { finerTick, openingChanges, type Trade, takeTurn } from './trading.ts'

export interface WorldOptions {
  seed: string
  startMs: number
  size: WorldSize
  /** Activity of crypto windows while they are open; default: hot. */
  openWindows?: Activity
}

/** An event that the venue publishes. The market holds the state after the event. */
export type Happening =
  | { kind: 'batch'; market: Market; atMs: number; changes: Change[]; topMoved: boolean; trade?: Trade }
  | { kind: 'trade'; market: Market; atMs: number; trade: Trade }
  | { kind: 'tick'; market: Market; atMs: number; from: number; to: number }
  | { kind: 'created'; market: Market; atMs: number }
  | { kind: 'resolved'; market: Market; atMs: number }

interface PlannedEvent {
  atMs: number
  /** Events of the same millisecond run in the order in which they were planned. */
  number: number
  run: () => void
}

const RESOLVED_AFTER_EMPTIED_MS = 30
const TICK_CHANGES_AFTER_MS = 3

/** The simulated world: markets with their own clock. `advance` runs every event up to the given time. */
export class World {
  readonly spot: SpotPrices
  readonly events: VenueEvent[] = []
  readonly markets = new Map<string, Market>()
  readonly tokens = new Map<string, { market: Market; outcome: 0 | 1 }>()
  nowMs: number

  readonly #seed: string
  readonly #openWindows: Activity
  readonly #roster: Roster
  readonly #publishEvent: (happening: Happening) => void
  readonly #planned = new TinyQueue<PlannedEvent>(
    [],
    (one, other) => one.atMs - other.atMs || one.number - other.number,
  )
  #plannedCount = 0

  constructor(
    { seed, startMs, size, openWindows = 'hot' }: WorldOptions,
    publishEvent: (happening: Happening) => void,
  ) {
    this.#seed = seed
    this.#openWindows = openWindows
    this.#publishEvent = publishEvent
    this.nowMs = startMs
    this.spot = spotPrices(seed)
    this.#roster = roster(seed, startMs, size)
    for (const series of this.#roster.series) this.#openSeries(series)
    for (const { draft, activities } of this.#roster.longLived) {
      const event = this.#addEvent(eventFrom(seed, draft, 1_000_000 + this.events.length, startMs - 3 * 86_400_000))
      for (const [index, marketDraft] of draft.markets.entries()) {
        const created = {
          gammaId: 5_000_000 + this.markets.size,
          createdAtMs: event.createdAtMs,
          listedAtMs: event.createdAtMs,
        }
        const market = marketFrom(seed, event, marketDraft, { order: this.markets.size, ...created })
        market.activity = activities[index] ?? 'cold'
        this.#addMarket(market)
      }
    }
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

  #addWindow(series: WindowSeries, window: Window, listedAtMs: number): Market {
    const draft = windowDraft(series, window)
    // An id for each five minutes and series: increases with time and is the same in every run.
    const number = (window.startMs / 300_000) * 64 + series.order
    const createdAtMs = Math.min(this.nowMs, listedAtMs)
    const event = this.#addEvent(eventFrom(this.#seed, draft, number, createdAtMs))
    const [marketDraft] = draft.markets
    if (marketDraft === undefined) throw new Error(`window ${draft.slug} has no market`)
    const numbers = { order: this.markets.size, gammaId: number, createdAtMs, listedAtMs }
    const market = marketFrom(this.#seed, event, marketDraft, numbers)
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

  #planTurn(market: Market): void {
    market.turn++
    const turn = market.turn
    this.#plan(this.nowMs + market.draw.waitMs(CHANGES_PER_SECOND[market.activity]), () => {
      if (market.turn !== turn || market.phase !== 'trading') return
      this.#doTurn(market)
      this.#planTurn(market)
    })
  }

  #doTurn(market: Market): void {
    const { changes, trade } = takeTurn(market, this.fairPrice(market))
    if (changes.length === 0) return
    if (trade !== undefined) this.#recordTrade(market, trade)
    this.#publish(market, changes, trade)
    if (finerTick(market) !== undefined) this.#plan(this.nowMs + TICK_CHANGES_AFTER_MS, () => this.#changeTick(market))
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
    this.#plan(this.nowMs + draw.whole(34, 39), () =>
      this.#publishEvent({ kind: 'trade', market, atMs: this.nowMs, trade }),
    )
  }

  #publish(market: Market, changes: Change[], trade?: Trade): void {
    const { bestBid, bestAsk } = market.book
    for (const change of changes) market.book.apply(change)
    market.changedAtMs = this.nowMs
    const topMoved = market.book.bestBid !== bestBid || market.book.bestAsk !== bestAsk
    const batch = { kind: 'batch', market, atMs: this.nowMs, changes, topMoved } as const
    this.#publishEvent(trade === undefined ? batch : { ...batch, trade })
  }

  /** The venue removes all levels in one batch, publishes the winner, and then has no book of the market. */
  #settle(market: Market): void {
    if (market.phase === 'emptied' || market.phase === 'resolved') return
    const removals = (['bids', 'asks'] as const).flatMap((side) =>
      market.book[side].map(({ price }) => ({ side, price, size: 0 })),
    )
    market.phase = 'emptied'
    if (removals.length > 0) this.#publish(market, removals)
    this.#plan(this.nowMs + RESOLVED_AFTER_EMPTIED_MS, () => {
      market.phase = 'resolved'
      market.winner = windowWinner(market, this.spot)
      this.#publishEvent({ kind: 'resolved', market, atMs: this.nowMs })
    })
  }
}

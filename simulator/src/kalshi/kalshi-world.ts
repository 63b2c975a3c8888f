import type { Behaviour } from '../world/behaviours.ts'
import { CHANGES_PER_SECOND } from '../world/market.ts'
import { type SpotPrices, spotPrices } from '../world/spot.ts'
import { newYorkHour } from './catalogue/schedules.ts'
import { fairPrice, resultOf, settlementPrice } from './fair-value.ts'
import type { Intervention, KalshiHappening, KalshiTrade, LifecycleKind } from './happenings.ts'
import { eventFrom, type KalshiEvent, type KalshiMarket, marketFrom, uuidOf } from './kalshi-market.ts'
import { type KalshiSize, kalshiRoster, type SeriesPlan } from './kalshi-roster.ts'
import { nextSteps, openingSteps, type Step, wantsFineGrid } from './kalshi-trading.ts'
import { PlannedEvents } from './planned-events.ts'
import { GRIDS } from './price-grid.ts'

export interface KalshiWorldOptions {
  seed: string
  startMs: number
  size: KalshiSize
  behaviours?: readonly Behaviour[]
}

const DAY_MS = 86_400_000
/** The next event of a series is listed this long before it opens. */
const LISTED_AHEAD_MS = 600_000
/** At the start of a game its markets are halted for this long. */
const HALT_MS = 30_000
const MOST_TRADES_KEPT = 20_000
const MAINTENANCE_HOURS = [3, 5] as const

/**
 * The simulated Kalshi: markets with their own clock, which depend only on seed, start and interventions. `advance`
 * runs every event up to the given time.
 */
export class KalshiWorld {
  readonly options: KalshiWorldOptions
  readonly spot: SpotPrices
  /** By ticker, oldest first. */
  readonly events = new Map<string, KalshiEvent>()
  readonly markets = new Map<string, KalshiMarket>()
  /** The newest is last. */
  readonly trades: KalshiTrade[] = []
  readonly interventions: Intervention[] = []
  readonly #publish: (happening: KalshiHappening) => void
  readonly #planned: PlannedEvents
  readonly #pauses = new Set<'scheduled' | 'forced'>()
  #tradeCount = 0

  constructor(options: KalshiWorldOptions, publish: (happening: KalshiHappening) => void) {
    this.options = options
    this.#publish = publish
    this.#planned = new PlannedEvents(options.startMs)
    this.spot = spotPrices(options.seed)
    const plans = kalshiRoster(options.seed, options.size)
    const open = plans.flatMap((plan) => openEvents(plan, this.nowMs).map((index) => ({ plan, index })))
    const listedMs = ({ plan, index }: (typeof open)[number]): number => timesOf(plan, index).createdMs
    for (const { plan, index } of open.toSorted((one, other) => listedMs(one) - listedMs(other)))
      this.#openInThePast(this.#addEvent(plan, index))
    for (const plan of plans) this.#listNext(plan, (openEvents(plan, this.nowMs).at(-1) ?? 0) + 1)
    if (options.behaviours?.includes('kalshi-maintenance')) this.#planMaintenance(Math.floor(this.nowMs / DAY_MS) - 1)
  }

  get nowMs(): number {
    return this.#planned.nowMs
  }

  get isPaused(): boolean {
    return this.#pauses.size > 0
  }

  advance(toMs: number): void {
    this.#planned.advance(toMs)
  }

  /** Forces something on the world; another world with the same interventions goes through the same states. */
  intervene(intervention: Intervention): void {
    this.interventions.push(intervention)
    switch (intervention.kind) {
      case 'pause':
        return this.#pause('forced')
      case 'resume':
        return this.#resume('forced')
      case 'close': {
        const market = this.markets.get(intervention.ticker)
        if (market !== undefined) this.#close(market)
      }
    }
  }

  #pause(reason: 'scheduled' | 'forced'): void {
    this.#pauses.add(reason)
    this.#publish({ kind: 'paused', atMs: this.nowMs, isScheduled: reason === 'scheduled' })
  }

  #resume(reason: 'scheduled' | 'forced'): void {
    this.#pauses.delete(reason)
    this.#publish({ kind: 'resumed', atMs: this.nowMs })
  }

  /** Trading is paused on Thursdays, from three to five o'clock in New York. */
  #planMaintenance(fromDay: number): void {
    // 1 January 1970 was a Thursday.
    const day = Math.ceil(fromDay / 7) * 7
    const [startMs, endMs] = MAINTENANCE_HOURS.map((hour) => newYorkHour(day, hour)) as [number, number]
    if (endMs <= this.nowMs) return this.#planMaintenance(day + 1)
    this.#planned.plan(startMs, () => this.#pause('scheduled'))
    this.#planned.plan(endMs, () => {
      this.#resume('scheduled')
      this.#planMaintenance(day + 1)
    })
  }

  /** Events whose time of listing is past are listed at once, without a message. */
  #listNext(plan: SeriesPlan, index: number): void {
    const { createdMs } = timesOf(plan, index)
    const list = (): KalshiEvent => {
      const event = this.#addEvent(plan, index)
      this.#planned.plan(event.openMs, () => this.#openEvent(event))
      this.#listNext(plan, index + 1)
      return event
    }
    if (createdMs <= this.nowMs) list()
    else
      this.#planned.plan(createdMs, () => {
        for (const market of list().markets) this.#announce(market, 'created')
      })
  }

  #addEvent({ series, slots }: SeriesPlan, index: number): KalshiEvent {
    const { seed } = this.options
    const times = timesOf({ series, slots }, index)
    const draft = series.draft(index, { seed, spot: this.spot, listedMs: times.createdMs, ...times })
    const event = eventFrom(series, index, draft, times)
    const activities = slots[index % slots.length] ?? []
    for (const [rank, activity] of activities.entries()) {
      const marketDraft = draft.markets[rank]
      if (marketDraft !== undefined) event.markets.push(marketFrom(seed, event, marketDraft, activity))
    }
    this.events.set(event.ticker, event)
    for (const market of event.markets) this.markets.set(market.ticker, market)
    return event
  }

  /** Nobody watched these markets open, so nothing is published. */
  #openInThePast(event: KalshiEvent): void {
    for (const market of event.markets) {
      this.#activate(market)
      for (const { side, price, size } of openingSteps(market, this.fairPrice(market)))
        market.book.apply({ side, price, size })
      market.changedAtMs = Math.max(event.openMs, this.nowMs - market.draw.waitMs(CHANGES_PER_SECOND[market.activity]))
      this.#planTurn(market)
    }
    this.#planEnd(event)
  }

  #openEvent(event: KalshiEvent): void {
    for (const market of event.markets) {
      const isStrikeNew = market.strike === undefined
      this.#activate(market)
      this.#announce(market, 'activated')
      if (isStrikeNew && market.strike !== undefined) this.#announce(market, 'metadata_updated')
      this.#turn(market)
    }
    this.#planEnd(event)
  }

  #activate(market: KalshiMarket): void {
    market.status = 'active'
    market.strike ??= settlementPrice(market, this.spot, market.event.openMs)
  }

  #planEnd(event: KalshiEvent): void {
    if (event.startMs !== undefined && event.startMs > this.nowMs)
      this.#planned.plan(event.startMs, () => this.#halt(event))
    this.#planned.plan(event.closeMs, () => {
      for (const market of event.markets) this.#close(market)
    })
  }

  #halt(event: KalshiEvent): void {
    const switchTo = (from: 'active' | 'inactive', to: 'active' | 'inactive', kind: LifecycleKind): void => {
      for (const market of event.markets) {
        if (market.status !== from) continue
        market.status = to
        this.#announce(market, kind)
      }
    }
    switchTo('active', 'inactive', 'deactivated')
    this.#planned.plan(this.nowMs + HALT_MS, () => switchTo('inactive', 'active', 'activated'))
  }

  /** Removes all levels, then the result follows and then the settlement. */
  #close(market: KalshiMarket): void {
    if (market.status !== 'active' && market.status !== 'inactive') return
    const { series } = market.event
    if (market.closeMs !== this.nowMs) {
      market.closeMs = this.nowMs
      this.#announce(market, 'close_date_updated')
    }
    const levels = (['bids', 'asks'] as const).flatMap((side) =>
      market.book[side].map(({ price }) => ({ side, price })),
    )
    for (const level of levels) this.#apply(market, { ...level, size: 0 })
    market.status = 'closed'
    this.#planned.plan(this.nowMs + series.determinedAfterMs, () => this.#determine(market))
    this.#planned.plan(this.nowMs + series.settledAfterMs, () => {
      market.status = 'finalized'
      market.settledAtMs = this.nowMs
      this.#announce(market, 'settled')
    })
  }

  #determine(market: KalshiMarket): void {
    market.status = 'determined'
    market.determinedAtMs = this.nowMs
    market.finalValue = settlementPrice(market, this.spot, market.closeMs)
    market.result = resultOf(market, this.options.seed)
    this.#announce(market, 'determined')
  }

  fairPrice(market: KalshiMarket): number {
    return fairPrice(market, this.spot, this.nowMs)
  }

  #planTurn(market: KalshiMarket): void {
    this.#planned.plan(this.nowMs + market.draw.waitMs(CHANGES_PER_SECOND[market.activity]), () => this.#turn(market))
  }

  #turn(market: KalshiMarket): void {
    if (market.status !== 'active' && market.status !== 'inactive') return
    if (market.status === 'active' && !this.isPaused) {
      for (const step of nextSteps(market, this.fairPrice(market))) this.#apply(market, step)
      if (wantsFineGrid(market)) {
        market.grid = GRIDS.tapered_deci_cent
        this.#announce(market, 'price_level_structure_updated')
      }
    }
    this.#planTurn(market)
  }

  #apply(market: KalshiMarket, { side, price, size, filled }: Step): void {
    const { book } = market
    const { bestBid, bestAsk } = book
    const change = size - book.sizeAt(side, price)
    book.apply({ side, price, size })
    market.changedAtMs = this.nowMs
    market.changes++
    const topMoved = book.bestBid !== bestBid || book.bestAsk !== bestAsk
    this.#publish({ kind: 'delta', market, atMs: this.nowMs, side, price, change, topMoved })
    if (filled !== undefined) this.#trade(market, price, filled, side === 'asks' ? 'yes' : 'no')
  }

  #trade(market: KalshiMarket, price: number, size: number, taker: 'yes' | 'no'): void {
    const id = uuidOf(this.options.seed, 'trade', this.#tradeCount++)
    const trade: KalshiTrade = { id, market, atMs: this.nowMs, price, size, taker }
    market.lastPrice = price
    market.lastTradeSize = size
    market.volume += size
    market.openInterest += Math.floor(size / 2)
    this.trades.push(trade)
    if (this.trades.length > MOST_TRADES_KEPT * 1.1) this.trades.splice(0, this.trades.length - MOST_TRADES_KEPT)
    this.#publish({ kind: 'trade', market, atMs: this.nowMs, trade })
  }

  #announce(market: KalshiMarket, event: LifecycleKind): void {
    this.#publish({ kind: 'lifecycle', market, atMs: this.nowMs, event })
  }
}

/** An event opens when the one closes whose slot it takes. */
function timesOf({ series, slots }: SeriesPlan, index: number): Pick<KalshiEvent, 'createdMs' | 'openMs' | 'closeMs'> {
  const openMs = series.schedule.closeMs(index - slots.length)
  return { createdMs: openMs - LISTED_AHEAD_MS, openMs, closeMs: series.schedule.closeMs(index) }
}

/** Numbers of the events that are open at that time. */
function openEvents({ series, slots }: SeriesPlan, atMs: number): number[] {
  const first = series.schedule.indexAfter(atMs)
  return slots.map((_, ahead) => first + ahead)
}

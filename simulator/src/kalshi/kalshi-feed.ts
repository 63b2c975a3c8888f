import type { Client } from '../delivery.ts'
import type { Feed, Switchboard } from '../faults/switchboard.ts'
import { deltaTail, tickerTail, tradeTail } from './book-frames.ts'
import { errorTail } from './command-frames.ts'
import { CommandHandler } from './command-handler.ts'
import type { Delta, KalshiHappening, LifecycleKind } from './happenings.ts'
import type { KalshiMarket } from './kalshi-market.ts'
import type { KalshiWorld } from './kalshi-world.ts'
import { lifecycleTail } from './lifecycle-frames.ts'
import { type Connection, type Subscription, Subscriptions, sendNext } from './subscriptions.ts'

const FEED: Feed = 'kalshi'
const PING_EVERY_MS = 10_000
const HEARTBEAT = 'heartbeat'
/** The delta of a level that takes more than it has takes this much more. */
const ONE_CONTRACT = 100

/** The WebSocket of Kalshi: turns what happens in its world into frames. */
export class KalshiFeed {
  readonly subscriptions: Subscriptions
  readonly #commands: CommandHandler
  readonly #faults: Switchboard

  constructor(world: KalshiWorld, faults: Switchboard) {
    this.#faults = faults
    this.subscriptions = new Subscriptions(() => world.nowMs)
    this.#commands = new CommandHandler(world, this.subscriptions, faults)
    faults.onSwitch(({ name }, isOn) => {
      if (name === 'maintenance') world.intervene({ kind: isOn ? 'pause' : 'resume', atMs: world.nowMs })
      if (isOn && name === 'buffer-overflow') this.#overflow()
    })
  }

  accept(delivery: Client): void {
    const pingAtMs = performance.now() + PING_EVERY_MS
    const connection: Connection = { delivery, subscriptions: new Map(), nextSid: 1, pingAtMs }
    this.subscriptions.connections.add(connection)
    delivery.marketsOf = () => marketsOf(connection)
    delivery.onText((text) => this.#commands.receive(connection, text))
    delivery.onClose(() => this.subscriptions.endAll(connection))
  }

  /** Pings by the real clock: a faster simulated clock does not make clients faster. */
  sendDue(): void {
    const nowMs = performance.now()
    for (const connection of this.subscriptions.connections) {
      if (nowMs < connection.pingAtMs) continue
      connection.pingAtMs = nowMs + PING_EVERY_MS
      connection.delivery.ping(HEARTBEAT)
    }
  }

  publish(happening: KalshiHappening): void {
    const stampMs = happening.atMs + this.#clockOffsetMs()
    switch (happening.kind) {
      case 'delta':
        this.#sendDelta(happening, stampMs)
        if (happening.topMoved) this.#sendTicker(happening.market, stampMs)
        return
      case 'trade': {
        const { market, trade } = happening
        this.#sendToAll(this.subscriptions.of('trade', market.ticker), 'trade', market, () => tradeTail(trade, stampMs))
        return this.#sendTicker(market, stampMs)
      }
      case 'lifecycle':
        return this.#sendLifecycle(happening.market, happening.event, stampMs)
      case 'paused':
        return this.#drop(happening.isScheduled)
      case 'resumed':
        return
    }
  }

  #clockOffsetMs(): number {
    return this.#faults.isQuiet ? 0 : (this.#faults.find('clock-offset', { feed: FEED })?.options.ms ?? 0)
  }

  #sendDelta(delta: Delta, stampMs: number): void {
    const { market } = delta
    const followers = this.subscriptions.of('orderbook_delta', market.ticker)
    if (!this.#faults.isQuiet) return this.#sendDeltaWithFaults(delta, followers, stampMs)
    const tails: (string | undefined)[] = [undefined, undefined]
    for (const subscription of followers) {
      const variant = subscription.useYesPrice ? 1 : 0
      tails[variant] ??= deltaTail(delta, subscription.useYesPrice, stampMs)
      sendNext(subscription, 'orderbook_delta', tails[variant], { market: market.ticker })
    }
  }

  #sendDeltaWithFaults(delta: Delta, followers: ReadonlySet<Subscription>, stampMs: number): void {
    const { market, side, price, change } = delta
    for (const subscription of this.#withStrays(market, followers)) {
      const occasion = { feed: FEED, connection: subscription.connection.delivery.id, market: market.ticker }
      const before = market.book.sizeAt(side, price) - change
      const isNegative = this.#faults.strike('negative-level', occasion) !== undefined
      const shown = isNegative ? -before - ONE_CONTRACT : change
      const tail = deltaTail(delta, subscription.useYesPrice, stampMs, shown)
      sendNext(subscription, 'orderbook_delta', tail, { market: market.ticker })
    }
  }

  /** The fault `stray-market` adds clients that did not subscribe to the market. */
  #withStrays(market: KalshiMarket, followers: ReadonlySet<Subscription>): Subscription[] {
    const strays = [...this.subscriptions.connections].flatMap(({ delivery, subscriptions }) => {
      const books = [...subscriptions.values()].find(({ channel }) => channel === 'orderbook_delta')
      if (books === undefined || followers.has(books)) return []
      const occasion = { feed: FEED, connection: delivery.id, market: market.ticker }
      return this.#faults.strike('stray-market', occasion) ? [books] : []
    })
    return [...followers, ...strays]
  }

  #sendTicker(market: KalshiMarket, stampMs: number): void {
    const followers = this.subscriptions.of('ticker', market.ticker)
    this.#sendToAll(followers, 'ticker', market, () => tickerTail(market, stampMs))
  }

  #sendLifecycle(market: KalshiMarket, event: LifecycleKind, stampMs: number): void {
    if (market.event.series.isCombo) return
    const followers = this.subscriptions.of('market_lifecycle_v2', market.ticker)
    this.#sendToAll(followers, 'market_lifecycle_v2', market, () => lifecycleTail(market, event, stampMs))
  }

  #sendToAll(followers: ReadonlySet<Subscription>, type: string, market: KalshiMarket, write: () => string): void {
    if (followers.size === 0) return
    const tail = write()
    for (const subscription of followers) sendNext(subscription, type, tail, { market: market.ticker })
  }

  /** Sockets are cut when maintenance begins. */
  #drop(isScheduled: boolean): void {
    for (const connection of [...this.subscriptions.connections]) {
      const occasion = { connection: connection.delivery.id, markets: marketsOf(connection) }
      if (isScheduled) this.#faults.note('kalshi-maintenance', occasion)
      else this.#faults.strike('maintenance', { feed: FEED, ...occasion })
      connection.delivery.close(1006, '')
    }
  }

  /** Ends the book subscription of each connection, once; the socket stays open. */
  #overflow(): void {
    for (const connection of this.subscriptions.connections) {
      const books = [...connection.subscriptions.values()].find(({ channel }) => channel === 'orderbook_delta')
      if (books === undefined) continue
      const occasion = { feed: FEED, connection: connection.delivery.id, markets: marketsOf(connection) }
      if (this.#faults.strike('buffer-overflow', occasion) === undefined) continue
      sendNext(books, 'error', `,${errorTail(25)}`)
      this.subscriptions.end(books)
    }
  }
}

/** Markets whose books the connection gets. */
function marketsOf({ subscriptions }: Connection): string[] {
  return [...subscriptions.values()].flatMap(({ channel, tickers }) =>
    channel === 'orderbook_delta' ? [...tickers] : [],
  )
}

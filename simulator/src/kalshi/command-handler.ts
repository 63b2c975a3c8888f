import type { Switchboard } from '../faults/switchboard.ts'
import { snapshotTail, tickerTail } from './book-frames.ts'
import { type Command, type ErrorCode, errorTail, type Params, parseCommand, tickersIn } from './command-frames.ts'
import type { KalshiWorld } from './kalshi-world.ts'
import {
  CHANNELS,
  type Channel,
  type Connection,
  type Subscription,
  type Subscriptions,
  sendNext,
} from './subscriptions.ts'

/** Answers what clients send: subscribe, change and end subscriptions. */
export class CommandHandler {
  readonly #world: KalshiWorld
  readonly #subscriptions: Subscriptions
  readonly #faults: Switchboard

  constructor(world: KalshiWorld, subscriptions: Subscriptions, faults: Switchboard) {
    this.#world = world
    this.#subscriptions = subscriptions
    this.#faults = faults
  }

  receive(connection: Connection, text: string): void {
    const command = parseCommand(text)
    if (command === undefined) return refuse(connection, undefined, 1)
    const { id, cmd, params } = command
    if (cmd === 'list_subscriptions') return this.#list(connection, command)
    if (!['subscribe', 'unsubscribe', 'update_subscription'].includes(cmd)) return refuse(connection, id, 5)
    if (params === undefined) return refuse(connection, id, 2)
    if (cmd === 'subscribe') return this.#subscribe(connection, id, params)
    if (cmd === 'unsubscribe') return this.#unsubscribe(connection, id, params)
    this.#update(connection, id, params)
  }

  #list(connection: Connection, { id }: Command): void {
    const held = [...connection.subscriptions.values()].map(({ channel, sid }) => ({ channel, sid }))
    connection.delivery.reply(JSON.stringify({ type: 'ok', id, msg: held }))
  }

  #subscribe(connection: Connection, id: number | undefined, params: Params): void {
    if (params.channels === undefined || params.channels.length === 0) return refuse(connection, id, 3)
    if (connection.subscriptions.size > 0 && this.#isIgnored(connection)) return
    for (const name of params.channels) {
      const channel = CHANNELS.find((known) => known === name)
      if (channel === undefined) refuse(connection, id, 8)
      else this.#subscribeTo(connection, channel, id, params)
    }
  }

  /** There is only one subscription of a channel: a second subscribe adds its markets to the first. */
  #subscribeTo(connection: Connection, channel: Channel, id: number | undefined, params: Params): void {
    const tickers = channel === 'market_lifecycle_v2' ? [] : tickersIn(params)
    if (channel === 'orderbook_delta' && tickers.length === 0) return refuse(connection, id, 14)
    const held = [...connection.subscriptions.values()].find((each) => each.channel === channel)
    if (held !== undefined) return this.#addMarkets(held, id, tickers, params)
    const subscription = this.#subscriptions.begin(connection, channel, {
      isWhole: tickers.length === 0,
      useYesPrice: params.use_yes_price === true,
    })
    connection.delivery.reply(
      `{"type":"subscribed",${idPart(id)}"msg":{"channel":"${channel}","sid":${subscription.sid}}}`,
    )
    this.#sendFirst(subscription, this.#subscriptions.add(subscription, tickers), params)
  }

  #addMarkets(subscription: Subscription, id: number | undefined, tickers: readonly string[], params: Params): void {
    const added = this.#subscriptions.add(subscription, tickers)
    acknowledge(subscription, id, params)
    this.#sendFirst(subscription, added, params)
  }

  #unsubscribe(connection: Connection, id: number | undefined, { sid, sids = [] }: Params): void {
    const named = sid === undefined ? sids : [sid, ...sids]
    if (named.length === 0) return refuse(connection, id, 4)
    for (const each of named) {
      const subscription = connection.subscriptions.get(each)
      if (subscription === undefined) {
        refuse(connection, id, 7)
        continue
      }
      this.#subscriptions.end(subscription)
      connection.delivery.send(`{${idPart(id)}"sid":${each},"seq":${++subscription.seq},"type":"unsubscribed"}`)
    }
  }

  #update(connection: Connection, id: number | undefined, params: Params): void {
    const { sid, sids = [], action } = params
    const named = sid === undefined ? sids : [sid, ...sids]
    const [first] = named
    if (first === undefined || named.length !== 1) return refuse(connection, id, 12)
    const subscription = connection.subscriptions.get(first)
    if (subscription === undefined) return refuse(connection, id, 7)
    if (action === undefined) return refuse(connection, id, 15)
    const tickers = tickersIn(params)
    switch (action) {
      case 'add_markets':
        if (this.#isIgnored(connection)) return
        return this.#addMarkets(subscription, id, tickers, params)
      case 'delete_markets':
        this.#subscriptions.remove(subscription, tickers)
        return acknowledge(subscription, id, params)
      case 'get_snapshot':
        if (subscription.channel !== 'orderbook_delta') return refuse(connection, id, 13)
        for (const ticker of tickers) if (subscription.tickers.has(ticker)) this.#sendSnapshot(subscription, ticker, id)
        return
      default:
        return refuse(connection, id, 13)
    }
  }

  #isIgnored({ delivery }: Connection): boolean {
    return this.#faults.strike('ignore-later-subscribes', { feed: 'kalshi', connection: delivery.id }) !== undefined
  }

  /** A snapshot of each new book; best prices only for clients that ask for them. */
  #sendFirst(subscription: Subscription, added: readonly string[], params: Params): void {
    for (const ticker of added) {
      if (subscription.channel === 'orderbook_delta') this.#sendFirstBook(subscription, ticker)
      const market = this.#world.markets.get(ticker)
      if (subscription.channel === 'ticker' && params.send_initial_snapshot === true && market !== undefined)
        sendNext(subscription, 'ticker', tickerTail(market, this.#world.nowMs), { market: ticker })
    }
  }

  #sendFirstBook(subscription: Subscription, ticker: string): void {
    const occasion = { feed: 'kalshi', connection: subscription.connection.delivery.id, market: ticker } as const
    if (this.#faults.strike('no-first-book', occasion)) return
    const late = this.#faults.strike('late-first-book', occasion)
    if (late === undefined) return this.#sendSnapshot(subscription, ticker)
    setTimeout(() => {
      if (subscription.tickers.has(ticker)) this.#sendSnapshot(subscription, ticker)
    }, late.options.delayMs)
  }

  #sendSnapshot(subscription: Subscription, ticker: string, id?: number): void {
    const market = this.#world.markets.get(ticker)
    if (market === undefined) return
    sendNext(subscription, 'orderbook_snapshot', snapshotTail(market, subscription.useYesPrice), { market: ticker, id })
  }
}

function idPart(id: number | undefined): string {
  return id === undefined ? '' : `"id":${id},`
}

function refuse({ delivery }: Connection, id: number | undefined, code: ErrorCode): void {
  delivery.reply(`{"type":"error",${idPart(id)}${errorTail(code)}`)
}

/** Counts as a frame of the subscription, like its data. */
function acknowledge(subscription: Subscription, id: number | undefined, { skip_ticker_ack: isShort }: Params): void {
  const list = isShort === true ? '' : `,"msg":${JSON.stringify({ market_tickers: [...subscription.tickers] })}`
  sendNext(subscription, 'ok', `${list}}`, { id })
}

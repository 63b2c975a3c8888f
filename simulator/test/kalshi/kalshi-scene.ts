import { constants, sign } from 'node:crypto'
import type { KalshiKey } from '../../src/kalshi/handshake.ts'
import type { KalshiMarket } from '../../src/kalshi/kalshi-market.ts'
import type { Simulator, SimulatorOptions } from '../../src/simulator.ts'
import { BY_HAND, openSimulator } from '../open-simulator.ts'
import { type JsonFrame, TestClient } from '../test-client.ts'

const KALSHI_SIZE = { hot: 10, medium: 10, cold: 20 }
const NO_POLYMARKET = { hot: 0, medium: 0, cold: 0 }
const STEP_MS = 5_000

/** A simulator with Kalshi markets only, whose clock the test moves. */
export function openKalshi(given: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  return openSimulator({ size: NO_POLYMARKET, kalshi: KALSHI_SIZE, speed: BY_HAND, ...given })
}

export function keyOf({ kalshiKey }: Simulator): KalshiKey {
  if (kalshiKey === undefined) throw new Error('the simulator has no Kalshi markets')
  return kalshiKey
}

/** The headers of a signed handshake. */
export function signedHeaders({ id, privateKeyPem }: KalshiKey, atMs: number): Record<string, string> {
  const key = {
    key: privateKeyPem,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  }
  return {
    'KALSHI-ACCESS-KEY': id,
    'KALSHI-ACCESS-TIMESTAMP': String(atMs),
    'KALSHI-ACCESS-SIGNATURE': sign('sha256', Buffer.from(`${atMs}GET/trade-api/ws/v2`), key).toString('base64'),
  }
}

export function connect(simulator: Simulator): Promise<TestClient> {
  const headers = signedHeaders(keyOf(simulator), simulator.kalshi.nowMs)
  return TestClient.open(simulator.addresses.kalshiSocket, { headers })
}

/** The open window of Bitcoin: always hot. */
export function bitcoinWindow({ kalshi }: Simulator): KalshiMarket {
  return openMarket(kalshi.markets.values(), 'KXBTC15M')
}

export function ethereumWindow({ kalshi }: Simulator): KalshiMarket {
  return openMarket(kalshi.markets.values(), 'KXETH15M')
}

function openMarket(markets: Iterable<KalshiMarket>, series: string): KalshiMarket {
  for (const market of markets)
    if (market.status === 'active' && market.event.series.facts.ticker === series) return market
  throw new Error(`no market of ${series} is open`)
}

let commandCount = 1_000

/** Waits until everything sent before has arrived. */
export async function roundTrip(client: TestClient): Promise<void> {
  const id = ++commandCount
  client.send({ id, cmd: 'list_subscriptions' })
  await client.frame('list of subscriptions', ({ json }) => json?.id === id)
}

/** Moves the clock of the world step by step; frames of each step are received before the next. */
export async function moveKalshi({ kalshi }: Simulator, client: TestClient, byMs: number): Promise<void> {
  for (const toMs = kalshi.nowMs + byMs; kalshi.nowMs < toMs; ) {
    kalshi.advance(Math.min(toMs, kalshi.nowMs + STEP_MS))
    await roundTrip(client)
  }
}

/** Subscribes to books and waits for the answer and the first books. */
export async function subscribeBooks(client: TestClient, tickers: readonly string[], more: object = {}): Promise<void> {
  await subscribe(client, ['orderbook_delta'], { market_tickers: tickers, use_yes_price: false, ...more })
}

export async function subscribe(client: TestClient, channels: readonly string[], params: object = {}): Promise<void> {
  client.send({ id: 1, cmd: 'subscribe', params: { channels, ...params } })
  await roundTrip(client)
}

/** Changes the subscription with that number. */
export function update(client: TestClient, id: number, action: string, tickers: readonly string[], sid = 1): void {
  client.send({ id, cmd: 'update_subscription', params: { sids: [sid], market_tickers: tickers, action } })
}

export const isType =
  (type: string, ticker?: string) =>
  ({ json }: JsonFrame): boolean =>
    json?.type === type && (ticker === undefined || json.msg.market_ticker === ticker)

// biome-ignore lint/suspicious/noExplicitAny: answers are read by key in assertions, which fail on a wrong shape
export async function getKalshi({ addresses }: Simulator, path: string): Promise<{ status: number; json: any }> {
  const answer = await fetch(`${addresses.kalshi}${path}`)
  return { status: answer.status, json: await answer.json() }
}

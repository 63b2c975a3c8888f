import { expect, test } from 'vitest'
import type { KalshiMarket } from '../../src/kalshi/kalshi-market.ts'
import type { Simulator } from '../../src/simulator.ts'
import type { TestClient } from '../test-client.ts'
import { bitcoinWindow, connect, getKalshi, isType, moveKalshi, openKalshi, subscribe } from './kalshi-scene.ts'

const MINUTE_MS = 60_000
/** A second before a window of Bitcoin closes at 02:30. */
const BEFORE_CLOSE = Date.parse('2026-11-15T02:29:59Z')

async function followLives(simulator: Simulator): Promise<TestClient> {
  const client = await connect(simulator)
  await subscribe(client, ['market_lifecycle_v2'])
  return client
}

function lifeOf(client: TestClient, ticker: string): string[] {
  return client.frames.filter(isType('market_lifecycle_v2', ticker)).map(({ json }) => json.msg.event_type)
}

function nextWindow({ kalshi }: Simulator): KalshiMarket {
  const market = [...kalshi.markets.values()].find(
    ({ status, event }) => status === 'initialized' && event.series.facts.ticker === 'KXBTC15M',
  )
  if (market === undefined) throw new Error('no window of Bitcoin is listed ahead')
  return market
}

test('the next window is listed before it opens, without a strike and without a book', async () => {
  const simulator = await openKalshi()
  const { json } = await getKalshi(simulator, '/markets?series_ticker=KXBTC15M&status=unopened')
  expect(json.markets).toHaveLength(1)
  expect(json.markets[0]).toMatchObject({
    ticker: 'KXBTC15M-26NOV142145-45',
    status: 'initialized',
    yes_bid_size_fp: '0.00',
  })
  expect(json.markets[0]).not.toHaveProperty('floor_strike')
})

test('a window closes on the quarter hour with an empty book, is determined, and is settled 6 s after the close', async () => {
  const simulator = await openKalshi({ startMs: BEFORE_CLOSE })
  const [closing, opening] = [bitcoinWindow(simulator), nextWindow(simulator)]
  const client = await followLives(simulator)
  await subscribe(client, ['orderbook_delta'], { market_tickers: [closing.ticker, opening.ticker] })
  const unopened = await client.frame('empty book', isType('orderbook_snapshot', opening.ticker))
  expect(unopened.json.msg).toEqual({ market_id: opening.id, market_ticker: opening.ticker })

  await moveKalshi(simulator, client, 2_000)
  expect([closing.status, closing.book.bids, closing.book.asks]).toEqual(['closed', [], []])
  expect(opening.status).toBe('active')
  expect(lifeOf(client, opening.ticker)).toEqual(['activated', 'metadata_updated'])
  const metadata = await client.frame(
    'strike',
    ({ json }) => json.msg?.event_type === 'metadata_updated' && json.msg.market_ticker === opening.ticker,
  )
  expect(metadata.json.msg.floor_strike).toBe(opening.strike)
  expect(client.frames.filter(isType('orderbook_delta', opening.ticker)).length).toBeGreaterThan(20)

  await moveKalshi(simulator, client, 10_000)
  expect(lifeOf(client, closing.ticker)).toEqual(['determined', 'settled'])
  const [determined, settled] = client.frames
    .filter(isType('market_lifecycle_v2', closing.ticker))
    .map(({ json }) => json.msg)
  expect(settled.settled_ts - closing.closeMs / 1000).toBe(6)
  expect(determined.settlement_value).toBe(determined.result === 'yes' ? '1.0000' : '0.0000')
  const { json } = await getKalshi(simulator, `/markets/${closing.ticker}`)
  expect(json.market).toMatchObject({
    status: 'finalized',
    result: determined.result,
    settlement_ts: '2026-11-15T02:30:06Z',
    expiration_value: String(closing.finalValue),
  })
  expect(determined.result).toBe((closing.finalValue ?? 0) >= (closing.strike ?? 0) ? 'yes' : 'no')
  const { json: results } = { json: await (await fetch(`${simulator.addresses.admin}/kalshi/results`)).json() }
  expect(results).toContainEqual(expect.objectContaining({ ticker: closing.ticker, result: determined.result }))
})

test('windows roll: after an hour four more have been created, opened and settled', async () => {
  const simulator = await openKalshi()
  const client = await followLives(simulator)
  await moveKalshi(simulator, client, 60 * MINUTE_MS)
  const created = client.frames.filter(({ json }) => json.msg?.event_type === 'created').map(({ json }) => json.msg)
  const windows = created.filter(({ market_ticker: ticker }) => ticker.startsWith('KXBTC15M'))
  expect(windows.map(({ market_ticker: ticker }) => ticker)).toEqual([
    'KXBTC15M-26NOV142200-00',
    'KXBTC15M-26NOV142215-15',
    'KXBTC15M-26NOV142230-30',
    'KXBTC15M-26NOV142245-45',
  ])
  expect(Object.keys(windows[0])).toEqual([
    'market_ticker',
    'open_ts',
    'close_ts',
    'additional_metadata',
    'price_level_structure',
    'price_ranges',
    'exchange_index',
    'event_type',
  ])
  expect(lifeOf(client, 'KXBTC15M-26NOV142200-00')).toEqual([
    'created',
    'activated',
    'metadata_updated',
    'determined',
    'settled',
  ])
  const open = [...simulator.kalshi.markets.values()].filter(
    ({ status, event }) => status === 'active' && !event.series.isCombo,
  )
  expect(open).toHaveLength(40)
  const numbers = client.frames.flatMap(({ json }) => json.seq ?? [])
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})

test('a game is halted when it starts, and its close is moved when it ends', async () => {
  const startMs = Date.parse('2026-11-15T14:59:50Z')
  const simulator = await openKalshi({ startMs, kalshi: { hot: 0, medium: 0, cold: 120 } })
  const client = await followLives(simulator)
  const game = [...simulator.kalshi.events.values()].find(
    ({ startMs: at, series }) => series.facts.ticker === 'KXEPLGAME' && at === Date.parse('2026-11-15T15:00:00Z'),
  )
  const ticker = game?.markets[0]?.ticker ?? ''
  await moveKalshi(simulator, client, 15_000)
  expect(lifeOf(client, ticker)).toEqual(['deactivated'])
  expect((await getKalshi(simulator, '/markets?series_ticker=KXEPLGAME&status=paused')).json.markets).not.toEqual([])
  simulator.kalshi.advance(Date.parse('2026-11-15T18:10:00Z'))
  await moveKalshi(simulator, client, 1_000)
  expect(lifeOf(client, ticker)).toEqual(['deactivated', 'activated', 'close_date_updated', 'determined', 'settled'])
  const winners = game?.markets.filter(({ result }) => result === 'yes') ?? []
  expect(winners.length).toBeLessThanOrEqual(1)
})

test('near the ends of its range a market gets a finer grid, once', async () => {
  const simulator = await openKalshi({ kalshi: { hot: 0, medium: 200, cold: 0 } })
  const client = await followLives(simulator)
  await moveKalshi(simulator, client, 5 * MINUTE_MS)
  const changed = client.frames.filter(({ json }) => json.msg?.event_type === 'price_level_structure_updated')
  expect(changed.length).toBeGreaterThan(0)
  const tickers = changed.map(({ json }) => json.msg.market_ticker)
  expect(new Set(tickers).size).toBe(tickers.length)
  expect(changed[0]?.json.msg.price_level_structure).toBe('tapered_deci_cent')
})

test('on Thursdays at three in New York a realistic venue pauses trading and closes its sockets', async () => {
  const startMs = Date.parse('2026-11-19T07:59:50Z')
  const simulator = await openKalshi({ startMs, behaviours: ['kalshi-maintenance'] })
  const client = await connect(simulator)
  await subscribe(client, ['orderbook_delta'], { market_tickers: [bitcoinWindow(simulator).ticker] })
  simulator.kalshi.advance(startMs + 20_000)
  expect((await client.closed).code).toBe(1006)
  expect((await getKalshi(simulator, '/exchange/status')).json.trading_active).toBe(false)
  const changes = bitcoinWindow(simulator).changes
  simulator.kalshi.advance(startMs + 60_000)
  expect(bitcoinWindow(simulator).changes).toBe(changes)
  simulator.kalshi.advance(Date.parse('2026-11-19T10:00:10Z'))
  expect(simulator.kalshi.isPaused).toBe(false)
  expect(bitcoinWindow(simulator).book.bids.length).toBeGreaterThan(0)
})

test('the admin interface closes a market before its time', async () => {
  const simulator = await openKalshi()
  const market = bitcoinWindow(simulator)
  const client = await followLives(simulator)
  const close = () => fetch(`${simulator.addresses.admin}/kalshi/markets/${market.ticker}/close`, { method: 'POST' })
  expect((await close()).status).toBe(202)
  expect((await close()).status).toBe(404)
  await moveKalshi(simulator, client, 10_000)
  expect(lifeOf(client, market.ticker)).toEqual(['close_date_updated', 'determined', 'settled'])
  const truth = await (await fetch(`${simulator.addresses.admin}/kalshi/markets/${market.ticker}`)).json()
  expect(truth).toMatchObject({ status: 'finalized', result: market.result, bids: [], asks: [] })
})

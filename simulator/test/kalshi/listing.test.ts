import { expect, test } from 'vitest'
import type { Simulator } from '../../src/simulator.ts'
import { deedsOf } from '../switch-fault.ts'
import { bitcoinWindow, getKalshi, openKalshi } from './kalshi-scene.ts'

interface ListedMarket {
  ticker: string
  status: string
  event_ticker: string
}

async function list(simulator: Simulator, query: string): Promise<ListedMarket[]> {
  const { status, json } = await getKalshi(simulator, `/markets?${query}`)
  expect(status, query).toBe(200)
  return json.markets
}

const tickersOf = (markets: readonly ListedMarket[]): string[] => markets.map(({ ticker }) => ticker)

test('series have categories and tags, and can be filtered by them', async () => {
  const simulator = await openKalshi()
  const { json } = await getKalshi(simulator, '/series')
  const categories = new Set(json.series.map(({ category }: { category: string }) => category))
  for (const category of ['Crypto', 'Sports', 'Economics', 'Climate and Weather', 'Social', 'Financials'])
    expect(categories).toContain(category)
  const crypto = await getKalshi(simulator, '/series?category=Crypto&tags=15%20min')
  expect(crypto.json.series.map(({ ticker }: { ticker: string }) => ticker)).toEqual([
    'KXBTC15M',
    'KXETH15M',
    'KXSOL15M',
    'KXXRP15M',
    'KXDOGE15M',
    'KXBNB15M',
    'KXHYPE15M',
    'KXZEC15M',
  ])
})

test('pages list every market once, the newest first; the last cursor is empty', async () => {
  const simulator = await openKalshi()
  const tickers: string[] = []
  let cursor = ''
  do {
    const { json } = await getKalshi(simulator, `/markets?limit=7&cursor=${cursor}`)
    tickers.push(...tickersOf(json.markets))
    cursor = json.cursor
  } while (cursor !== '')
  expect(tickers).toEqual([...simulator.kalshi.markets.keys()].reverse())
  const created = (await list(simulator, 'limit=1000')).map((market) =>
    Date.parse((market as unknown as { created_time: string }).created_time),
  )
  expect(created).toEqual(created.toSorted((one, other) => other - one))
})

test('a status that the venue returns is no filter, nor is a limit above 1000', async () => {
  const simulator = await openKalshi()
  for (const query of ['status=active', 'status=finalized', 'limit=1001', 'mve_filter=maybe', 'cursor=nonsense'])
    expect((await getKalshi(simulator, `/markets?${query}`)).status, query).toBe(400)
  expect((await getKalshi(simulator, '/markets?min_close_ts=1&min_created_ts=1')).status).toBe(400)
  expect((await getKalshi(simulator, '/markets?min_settled_ts=1&status=open')).status).toBe(400)
  expect((await list(simulator, 'status=open')).every(({ status }) => status === 'active')).toBe(true)
})

test('markets are found by series, event and ticker; combinations only when they are not excluded', async () => {
  const simulator = await openKalshi()
  const { ticker, event } = bitcoinWindow(simulator)
  expect(ticker).toBe('KXBTC15M-26NOV142130-30')
  expect(tickersOf(await list(simulator, 'series_ticker=KXBTC15M&status=open'))).toEqual([ticker])
  expect(tickersOf(await list(simulator, `event_ticker=${event.ticker}`))).toEqual([ticker])
  expect(tickersOf(await list(simulator, `tickers=${ticker},NOPE`))).toEqual([ticker])
  const isCombo = (name: string): boolean => name.startsWith('KXMVE')
  const all = tickersOf(await list(simulator, 'limit=1000'))
  expect(all.some(isCombo)).toBe(true)
  expect(tickersOf(await list(simulator, 'limit=1000&mve_filter=exclude'))).toEqual(
    all.filter((name) => !isCombo(name)),
  )
  expect(tickersOf(await list(simulator, 'limit=1000&mve_filter=only'))).toEqual(all.filter(isCombo))
})

test('tickers follow the grammar of the venue', async () => {
  const simulator = await openKalshi({ kalshi: { hot: 20, medium: 60, cold: 200 } })
  const grammars = [
    /^KX[A-Z]+15M-26NOV\d{6}-\d\d$/,
    /^KX[A-Z]+D-26NOV\d{4}-T\d+(\.\d+)?$/,
    /^KX[A-Z]+GAME-26NOV\d{6}[A-Z]+-[A-Z]+$/,
    /^KXHIGH[A-Z]+-26NOV\d\d-[TB]\d+(\.5)?$/,
    /^KXFEDDECISION-26(NOV|DEC)-[CH]\d+$/,
    /^KX(CPI|CPIYOY|PAYROLLS)-2[67](NOV|DEC|JAN)-T-?[\d.]+$/,
    /^KXTRUTHSOCIALD?-26NOV\d\d-[TB][\d.]+$/,
    /^KX(INXU|NASDAQ100U)-26NOV\d\dH\d{4}-T\d+\.9999$/,
    /^KXMVESPORTSMULTIGAME-S\d+-C\d$/,
  ]
  const tickers = [...simulator.kalshi.markets.keys()]
  expect(tickers.filter((ticker) => !grammars.some((grammar) => grammar.test(ticker)))).toEqual([])
  for (const grammar of grammars)
    expect(
      tickers.some((ticker) => grammar.test(ticker)),
      String(grammar),
    ).toBe(true)
  const open = [...simulator.kalshi.markets.values()].filter(
    ({ status, event }) => status === 'active' && !event.series.isCombo,
  )
  expect(open).toHaveLength(280)
})

test('one market and its event; 404 for unknown ones, but an empty book', async () => {
  const simulator = await openKalshi()
  const { ticker, event } = bitcoinWindow(simulator)
  const { json } = await getKalshi(simulator, `/markets/${ticker}`)
  expect(json.market).toMatchObject({
    ticker,
    event_ticker: event.ticker,
    market_type: 'binary',
    status: 'active',
    result: '',
    open_time: '2026-11-15T02:15:00Z',
    close_time: '2026-11-15T02:30:00Z',
    strike_type: 'greater_or_equal',
    floor_strike: expect.any(Number),
    price_level_structure: 'tapered_deci_cent',
  })
  expect((await getKalshi(simulator, '/markets/NOPE')).status).toBe(404)
  expect((await getKalshi(simulator, '/markets/NOPE/orderbook')).json).toEqual({
    orderbook_fp: { no_dollars: [], yes_dollars: [] },
  })
  const nested = await getKalshi(simulator, `/events/${event.ticker}?with_nested_markets=true`)
  expect(tickersOf(nested.json.event.markets)).toEqual([ticker])
  expect(nested.json.markets).toEqual([])
  expect(tickersOf((await getKalshi(simulator, `/events/${event.ticker}`)).json.markets)).toEqual([ticker])
  expect((await getKalshi(simulator, '/events/NOPE')).status).toBe(404)
  const events = await getKalshi(simulator, '/events?series_ticker=KXBTC15M&status=open&with_nested_markets=true')
  expect(events.json.events).toMatchObject([{ event_ticker: event.ticker, markets: [{ ticker }] }])
})

test('many books come in one answer; a comma list is one unknown ticker', async () => {
  const simulator = await openKalshi()
  const tickers = [...simulator.kalshi.markets.keys()].slice(0, 20)
  const { json } = await getKalshi(
    simulator,
    `/markets/orderbooks?${tickers.map((each) => `tickers=${each}`).join('&')}`,
  )
  expect(tickersOf(json.orderbooks)).toEqual(tickers)
  const comma = await getKalshi(simulator, `/markets/orderbooks?tickers=${tickers.join(',')}`)
  expect(comma.json.orderbooks).toEqual([
    { ticker: tickers.join(','), orderbook_fp: { no_dollars: [], yes_dollars: [] } },
  ])
  const many = Array.from({ length: 101 }, () => 'tickers=A').join('&')
  expect((await getKalshi(simulator, `/markets/orderbooks?${many}`)).status).toBe(400)
})

test('the exchange says when it trades', async () => {
  const simulator = await openKalshi()
  const { json } = await getKalshi(simulator, '/exchange/status')
  expect(json).toMatchObject({ exchange_active: true, trading_active: true })
  expect(json.exchange_index_statuses).toHaveLength(4)
  const schedule = await getKalshi(simulator, '/exchange/schedule')
  expect(schedule.json.schedule.standard_hours[0].thursday).toHaveLength(2)
})

test('a realistic venue answers a burst of 60 reads, and others with 429 without Retry-After', async () => {
  const simulator = await openKalshi({ behaviours: ['kalshi-read-limit'] })
  const answers = await Promise.all(
    Array.from({ length: 150 }, () => fetch(`${simulator.addresses.kalshi}/exchange/schedule`)),
  )
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(60)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.headers.get('retry-after')).toBeNull()
  expect(await deedsOf(simulator, 'kalshi-read-limit')).toHaveLength(refused.length)
})

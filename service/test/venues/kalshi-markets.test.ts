import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Market } from '../../src/domain/market.ts'
import { Discovery } from '../../src/venues/kalshi/discover.ts'
import { endingOf, fetchEndings } from '../../src/venues/kalshi/endings.ts'
import { readMarket } from '../../src/venues/kalshi/listed-market.ts'
import { groupIdOf, namesOf } from '../../src/venues/kalshi/market-names.ts'
import { type KalshiMarket, KalshiMarketSchema } from '../../src/venues/kalshi/market-schema.ts'
import { PacedHttp } from '../../src/venues/kalshi/paced-http.ts'
import { fetchBooks } from '../../src/venues/kalshi/rest-books.ts'
import { FOLLOWED_SERIES, type Series } from '../../src/venues/kalshi/series.ts'
import { fetchWindowPrices } from '../../src/venues/kalshi/window-prices.ts'
import { planOf } from './kalshi-scene.ts'

const NOW_MS = Date.parse('2026-11-17T19:05:00Z')
const { signal } = new AbortController()
const ignore = (): void => {}
const tickers = (markets: readonly Market[]): string[] => markets.map(({ venueKey }) => venueKey)

function seriesNamed(ticker: string): Series {
  const series = FOLLOWED_SERIES.find((each) => each.ticker === ticker)
  if (series === undefined) throw new Error(`no series ${ticker}`)
  return series
}

/** A market in the documented form, with a key that nobody knows. */
function listed(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    ticker: 'KXHIGHNY-26NOV17-B52.5',
    event_ticker: 'KXHIGHNY-26NOV17',
    market_type: 'binary',
    status: 'active',
    title: 'Will the high temp in NYC be 52-53° on Nov 17, 2026?',
    yes_sub_title: '52° to 53°',
    no_sub_title: '52° to 53°',
    open_time: '2026-11-16T15:00:00Z',
    close_time: '2026-11-18T04:59:00Z',
    result: '',
    strike_type: 'between',
    floor_strike: 52,
    cap_strike: 53.5,
    price_ranges: [
      { start: '0.0000', end: '0.1000', step: '0.0010' },
      { start: '0.1000', end: '1.0000', step: '0.0100' },
    ],
    a_new_key: [{}],
    ...more,
  }
}

const parsed = (more: Readonly<Record<string, unknown>> = {}): KalshiMarket => KalshiMarketSchema.parse(listed(more))

const WINDOW = {
  ticker: 'KXBTC15M-26NOV171415-15',
  event_ticker: 'KXBTC15M-26NOV171415',
  title: 'BTC price up in next 15 mins?',
  open_time: '2026-11-17T19:00:00Z',
  close_time: '2026-11-17T19:15:00Z',
}

describe('a listed market', () => {
  test('has everything that a recorder needs', () => {
    const plan = planOf('weather')
    expect(readMarket(parsed(), seriesNamed('KXHIGHNY'), plan)).toEqual({
      category: 'weather',
      subcategory: 'New York',
      timeframe: 'daily-high',
      id: namesOf('KXHIGHNY-26NOV17-B52.5').marketId,
      venue: 'kalshi',
      venueKey: 'KXHIGHNY-26NOV17-B52.5',
      tokenIds: ['KXHIGHNY-26NOV17-B52.5:yes', 'KXHIGHNY-26NOV17-B52.5:no'],
      outcomeNames: ['Yes', 'No'],
      slug: 'kxhighny-26nov17-b52.5',
      question: 'Will the high temp in NYC be 52-53° on Nov 17, 2026?',
      label: '52° to 53°',
      eventSlug: 'kxhighny-26nov17',
      eventTitle: 'Will the high temp in NYC be 52-53° on Nov 17, 2026?',
      groupId: groupIdOf('KXHIGHNY-26NOV17'),
      priceGrid: [
        { from: 0, to: 1_000, step: 10 },
        { from: 1_000, to: 10_000, step: 100 },
      ],
      facts: { series: 'KXHIGHNY', strikeType: 'between', floorStrike: '52', capStrike: '53.5' },
      endsAtMs: Date.parse('2026-11-18T04:59:00Z'),
      planId: plan.id,
      captureIntervalMs: plan.captureIntervalMs,
    } satisfies Market)
  })

  test('of a window has the outcomes Up and Down, and starts when it opens', () => {
    const market = readMarket(parsed(WINDOW), seriesNamed('KXBTC15M'), planOf('crypto'))
    expect(market).toMatchObject({ outcomeNames: ['Up', 'Down'], startsAtMs: Date.parse('2026-11-17T19:00:00Z') })
    expect(market).not.toHaveProperty('groupId')
  })

  test('with two titles has them as outcomes, and one without titles has its ticker', () => {
    const read = (more: object) => readMarket(parsed({ ...more }), seriesNamed('KXHIGHNY'), planOf('weather'))
    expect(read({ yes_sub_title: 'Above', no_sub_title: 'Below' })).toMatchObject({ outcomeNames: ['Above', 'Below'] })
    expect(read({ title: undefined, yes_sub_title: '', no_sub_title: undefined })).toMatchObject({
      outcomeNames: ['Yes', 'No'],
      question: 'KXHIGHNY-26NOV17-B52.5',
      label: 'KXHIGHNY-26NOV17-B52.5',
    })
  })

  test('with an unreadable price grid has none: every price is possible', () => {
    const [readable, unreadable] = [
      { start: '0', end: '0.5', step: '0.01' },
      { start: '0.5', end: '1', step: '0.00001' },
    ]
    for (const price_ranges of [undefined, [], 'linear', [unreadable], [readable, unreadable], [{ start: 0 }]])
      expect(readMarket(parsed({ price_ranges }), seriesNamed('KXHIGHNY'), planOf('weather'))).toMatchObject({
        priceGrid: [{ from: 0, to: 10_000, step: 1 }],
      })
  })

  test('is skipped for a reason, but not for a status that nobody knows', () => {
    const read = (more: object) => readMarket(parsed({ ...more }), seriesNamed('KXHIGHNY'), planOf('weather'))
    expect(read({ status: 'finalized' })).toBe('closed')
    expect(read({ market_type: 'scalar' })).toBe('not_binary')
    expect(read({ close_time: undefined })).toBe('no_end')
    expect(read({ status: 'resting' })).toMatchObject({ venueKey: 'KXHIGHNY-26NOV17-B52.5' })
  })
})

describe('an ending', () => {
  const { marketId } = namesOf('KXHIGHNY-26NOV17-B52.5')
  test.each([
    ['finalized', 'yes', { marketId, winner: 0, resolvedAtMs: 1_794_942_000_947 }],
    ['finalized', 'no', { marketId, winner: 1, resolvedAtMs: 1_794_942_000_947 }],
    ['finalized', 'scalar', { marketId, resolvedAtMs: 1_794_942_000_947 }],
  ])('%s with the result %s is a resolution', (status, result, resolution) => {
    const market = parsed({ status, result, settlement_ts: '2026-11-17T19:00:00.947032Z' })
    expect(endingOf(market, NOW_MS)).toEqual({ marketId, resolution })
  })

  test('without a time of settlement has the time of the request', () => {
    expect(endingOf(parsed({ status: 'finalized', result: 'yes' }), NOW_MS + 0.4)?.resolution?.resolvedAtMs).toBe(
      NOW_MS,
    )
  })

  test.each([
    ['closed', ''],
    ['closed', 'yes'],
    ['disputed', 'yes'],
    ['determined', 'yes'],
    ['amended', 'no'],
    ['finalized', 'void'],
  ])('%s with the result "%s" is closed and has no result yet', (status, result) => {
    expect(endingOf(parsed({ status, result }), NOW_MS)).toEqual({ marketId })
  })

  test.each(['active', 'inactive', 'initialized', 'resting'])('%s is none', (status) => {
    expect(endingOf(parsed({ status }), NOW_MS)).toBeUndefined()
  })
})

async function serve(listener: RequestListener): Promise<PacedHttp> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return new PacedHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

/** Answers each request with what `answerTo` makes of its parameters; undefined is 404. */
function serveJson(answerTo: (parameters: URLSearchParams, path: string) => unknown): Promise<PacedHttp> {
  return serve(({ url = '' }, response) => {
    const { searchParams, pathname } = new URL(url, 'http://localhost')
    const answer = answerTo(searchParams, pathname)
    response.statusCode = answer === undefined ? 404 : 200
    response.end(JSON.stringify(answer ?? {}))
  })
}

describe('answers', () => {
  test('a series that fails makes the listing partial; when all fail it is an error', async () => {
    const problems: string[] = []
    let isDown = false
    const http = await serveJson((parameters) => {
      const series = parameters.get('series_ticker')
      if (isDown || series === 'KXEPLGAME') return undefined
      return { markets: [listed({ ticker: `${series}-1`, event_ticker: `${series}` })], cursor: '' }
    })
    const discovery = new Discovery(http, (reason) => problems.push(reason))
    const { markets, isPartial } = await discovery.discover(planOf('sports'), NOW_MS, signal)
    expect(isPartial).toBe(true)
    expect(tickers(markets)).toContain('KXNBAGAME-1')
    expect(tickers(markets)).not.toContain('KXEPLGAME-1')
    expect(problems).toEqual(['listing a series failed: 404 for /markets'])
    isDown = true
    await expect(discovery.discover(planOf('economics'), NOW_MS, signal)).rejects.toThrow('404')
  })

  test('a list whose last page is never reached makes the listing partial', async () => {
    const problems: string[] = []
    const http = await serveJson((parameters) => {
      const series = parameters.get('series_ticker')
      const market = listed({ ticker: `${series}-1`, event_ticker: `${series}` })
      return { markets: [market], cursor: series === 'KXFED' ? 'again' : '' }
    })
    const discovery = new Discovery(http, (reason) => problems.push(reason))
    const { markets, isPartial } = await discovery.discover(planOf('economics'), NOW_MS, signal)
    expect([tickers(markets), isPartial]).toEqual([['KXFEDDECISION-1', 'KXFED-1'], true])
    expect(problems).toEqual(['a list of markets repeats its pages'])
  })

  test('pages are joined, invalid markets are counted, and the limits of events and series hold', async () => {
    const asked: string[] = []
    const event = (name: string, count: number, close_time: string) =>
      Array.from({ length: count }, (_, index) =>
        listed({ ticker: `KXFED-${name}-T${index}`, event_ticker: `KXFED-${name}`, close_time }),
      )
    const http = await serveJson((parameters) => {
      if (parameters.get('series_ticker') !== 'KXFED') return { markets: [], cursor: '' }
      asked.push(String(parameters))
      if (parameters.get('cursor') === null)
        return { markets: [...event('B', 250, '2026-12-10T00:00:00Z'), { ticker: '../x' }, 5], cursor: 'next' }
      return {
        markets: ['A', 'C', 'D'].flatMap((name) => event(name, 201, `2026-12-0${name.charCodeAt(0) - 60}T00:00:00Z`)),
      }
    })
    const discovery = new Discovery(http, ignore)
    const { markets, isPartial, skipped } = await discovery.discover(planOf('economics'), NOW_MS, signal)
    expect(asked).toEqual([
      'series_ticker=KXFED&status=open&mve_filter=exclude&limit=1000',
      'series_ticker=KXFED&status=open&mve_filter=exclude&limit=1000&cursor=next',
    ])
    expect(isPartial).toBe(false)
    expect([...new Set(markets.map(({ eventSlug }) => eventSlug))]).toEqual(['kxfed-a', 'kxfed-c', 'kxfed-d'])
    expect(skipped.map(({ reason, count }) => [reason, count])).toEqual([
      ['invalid', 2],
      ['too_many', 253],
    ])
    // Within a minute the list is not read again, except of windows.
    await discovery.discover(planOf('economics'), NOW_MS + 30_000, signal)
    expect(asked).toHaveLength(2)
  })

  test('a window is followed from a quarter of an hour before it opens until it ends', async () => {
    const http = await serveJson((parameters) => {
      if (parameters.get('series_ticker') !== 'KXBTC15M') return { markets: [], cursor: '' }
      const isOpen = parameters.get('status') === 'open'
      const [status, hours] = isOpen ? ['active', ['19:00', '18:50']] : ['initialized', ['19:15', '19:30']]
      const markets = hours.map((hour) => {
        const opensAtMs = Date.parse(`2026-11-17T${hour}:00Z`)
        const close_time = new Date(opensAtMs + 15 * 60_000).toISOString()
        return listed({
          ...WINDOW,
          status,
          ticker: `KXBTC15M-${hour.replace(':', '')}`,
          open_time: new Date(opensAtMs),
          close_time,
        })
      })
      return { markets, cursor: '' }
    })
    const { markets } = await new Discovery(http, ignore).discover(planOf('crypto'), NOW_MS, signal)
    expect(tickers(markets)).toEqual(['KXBTC15M-1900', 'KXBTC15M-1915'])
  })

  test('endings are asked for by ticker; markets that were not asked for are ignored', async () => {
    const http = await serveJson((parameters) => ({
      markets: [...(parameters.get('tickers') ?? '').split(','), 'KXOTHER-1'].map((ticker) =>
        listed({ ticker, status: 'finalized', result: 'yes' }),
      ),
    }))
    const ended = ['KXA-1', 'KXB-1'].map((ticker) => ({
      id: namesOf(ticker).marketId,
      tokenIds: [namesOf(ticker).yesTokenId, namesOf(ticker).noTokenId] as const,
    }))
    const endings = await fetchEndings(http, [...ended, { id: `0x${'1'.repeat(64)}` }], NOW_MS, signal, ignore)
    expect(endings.map(({ marketId }) => marketId)).toEqual(ended.map(({ id }) => id))
  })

  test('the prices of a window are its strike and its final value, in exact units', async () => {
    const http = await serveJson((parameters) => {
      const isWindow = parameters.get('event_ticker') === WINDOW.event_ticker
      if (!isWindow) return { markets: [listed({ ticker: 'KXA-1' }), listed({ ticker: 'KXA-2' })] }
      return { markets: [listed({ ...WINDOW, floor_strike: 94_321.07, expiration_value: '94400.5' })] }
    })
    expect(await fetchWindowPrices(http, 'kxbtc15m-26nov171415', signal, ignore)).toEqual({
      start: 94_321_070_000_000_000_000_000n,
      end: 94_400_500_000_000_000_000_000n,
    })
    expect(await fetchWindowPrices(http, 'kxbtcd-26nov1714', signal, ignore)).toEqual({})
  })

  test('books are asked for with repeated parameters, at most 100 at once', async () => {
    const problems: string[] = []
    const counts: number[] = []
    const http = await serveJson((parameters, path) => {
      if (path !== '/markets/orderbooks') return undefined
      const asked = parameters.getAll('tickers')
      counts.push(asked.length)
      const orderbook_fp = { yes_dollars: [['0.0700', '3195.84']], no_dollars: [['0.8400', '500.00']] }
      const books: object[] = asked.map((ticker) => ({ ticker, orderbook_fp }))
      return { orderbooks: [...books, { ticker: 'KXX-1', orderbook_fp: { yes_dollars: 'none' } }] }
    })
    const tokenIds = Array.from({ length: 101 }, (_, index) => `KXA-${index}:yes`)
    const books = await fetchBooks(http, [...tokenIds, 'KXA-0:no'], signal, (reason) => problems.push(reason))
    expect(counts).toEqual([100, 1])
    expect(books).toHaveLength(102)
    expect(books[0]).toMatchObject({
      tokenId: 'KXA-0:yes',
      bids: [{ price: 700, size: 3_195_840_000 }],
      asks: [{ price: 1_600, size: 500_000_000 }],
    })
    expect(books[1]).toMatchObject({ tokenId: 'KXA-0:no', bids: [{ price: 8_400 }], asks: [{ price: 9_300 }] })
    expect(problems).toEqual(Array.from({ length: 2 }, () => 'invalid REST book: yes_dollars is not a list'))
  })
})

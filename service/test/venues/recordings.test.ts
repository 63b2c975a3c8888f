import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { mirrorOf, sameLadders } from '../../src/domain/book.ts'
import type { Market } from '../../src/domain/market.ts'
import { CATEGORY_PLANS } from '../../src/domain/plan.ts'
import { decodeSpotFrame } from '../../src/venues/binance/decode.ts'
import { decodePerpFrame } from '../../src/venues/hyperliquid/decode.ts'
import { decodeBooks, decodeFrame } from '../../src/venues/polymarket/decode.ts'
import { GammaEventSchema, GammaMarketSchema } from '../../src/venues/polymarket/gamma.ts'
import { readMarket } from '../../src/venues/polymarket/listed-market.ts'
import { ProvedBook } from '../../src/venues/polymarket/proved-book.ts'
import type { BookEvent } from '../../src/venues/venue.ts'
import { recordedLines, recordedText, recordingsExist, recordingsPlace } from './recordings.ts'
import { TinyVenue } from './tiny-venue.ts'

function marketOf(id: string, tokenIds: readonly [string, string], more: Market['facts'] = {}): Market {
  const { market } = new TinyVenue()
  return { ...market, id, tokenIds, facts: { ...market.facts, negRisk: false, version: 'v1', ...more } }
}

/** Applies the frames to a book and returns its proofs and doubts. */
function follow(book: ProvedBook, frames: readonly string[]) {
  const problems: string[] = []
  const states: NonNullable<ProvedBook['proved']>[] = []
  let nowMs = 0
  for (const frame of frames) {
    const decoded = decodeFrame(frame)
    problems.push(...decoded.problems.map(({ reason }) => reason))
    for (const event of decoded.events) {
      nowMs = 'eventAtMs' in event ? event.eventAtMs : event.kind === 'trade' ? event.trade.tradedAtMs : nowMs
      if (event.kind !== 'resolved' && event.kind !== 'created') book.take(event, nowMs)
      if (book.proved !== undefined && book.proved !== states.at(-1)) states.push(book.proved)
    }
  }
  return { problems, states, doubts: book.takeDoubts() }
}

function booksIn(frame: string | undefined): BookEvent[] {
  return decodeFrame(frame ?? '').events.filter((event) => event.kind === 'book')
}

/** The book of the other token, which the recording lacks: the mirrored book with the hash that the venue would send. */
function mirroredBook(book: BookEvent, frame: string, tokenId: string): BookEvent {
  const [wire] = JSON.parse(frame) as { bids: Wire[]; asks: Wire[]; timestamp: string }[]
  if (wire === undefined) throw new Error('no first book')
  const other = (levels: Wire[]): Wire[] =>
    levels.map(({ price, size }) => ({ price: String((10_000 - Math.round(Number(price) * 10_000)) / 10_000), size }))
  const text = JSON.stringify({
    market: book.marketId,
    asset_id: tokenId,
    timestamp: wire.timestamp,
    hash: '',
    bids: other(wire.asks),
    asks: other(wire.bids),
    min_order_size: '5',
    tick_size: book.tickSize,
    neg_risk: false,
    last_trade_price: book.lastTradeText,
  })
  return { ...book, ...mirrorOf(book), tokenId, hash: createHash('sha1').update(text).digest('hex') }
}

interface Wire {
  price: string
  size: string
}

const isMissing = !recordingsExist()
if (isMissing) process.stderr.write(`SKIPPED, ${recordingsPlace} does not exist: recorded frames\n`)
describe.skipIf(isMissing)('recorded frames', () => {
  const argos = () =>
    (
      JSON.parse(recordedText('argos/ws_market_price_change.raw.json')) as {
        messages: { direction: string; raw: string }[]
      }
    ).messages.flatMap(({ direction, raw }) => (direction === 'recv' ? [raw] : []))
  const run8 = () =>
    recordedLines<{ payloadUtf8: string }>('no-licence-stated/market-ws-frames-h1-run-8.jsonl').map(
      ({ payloadUtf8 }) => payloadUtf8,
    )

  test('argos: all 29 batches are proved in both tokens, and the books after trades agree', () => {
    const frames = argos()
    const [first = '', ...rest] = frames
    const [book] = booksIn(first)
    if (book === undefined) throw new Error('no first book')
    const named = [...frames.join('').matchAll(/"asset_id":"(\d+)"/g)].map(([, token = '']) => token)
    const other = named.find((token) => token !== book.tokenId) ?? ''
    const proved = new ProvedBook(marketOf(book.marketId, [book.tokenId, other]))
    proved.take(book, book.eventAtMs)
    proved.take(mirroredBook(book, first, other), book.eventAtMs)
    const { states, doubts, problems } = follow(proved, rest)
    expect([doubts, problems]).toEqual([[], []])
    expect(proved.takeChangeCount()).toBe(1 + 29)
    for (const { up, down } of states) expect(sameLadders(down, mirrorOf(up))).toBe(true)
  })

  test('run 8: all 13 batches, one of eight frames, are proved in both tokens', () => {
    const frames = run8().slice(0, 23)
    const [up, down] = booksIn(frames[0])
    if (up === undefined || down === undefined) throw new Error('two first books')
    const proved = new ProvedBook(marketOf(up.marketId, [up.tokenId, down.tokenId]))
    const { doubts, problems } = follow(proved, frames)
    expect([doubts, problems]).toEqual([[], []])
    expect(proved.takeChangeCount()).toBe(1 + 13)
  })

  test('run 8 without five minutes: the loss is detected, and the books after the trades are proved alone', () => {
    const frames = run8()
    const [up, down] = booksIn(frames[0])
    if (up === undefined || down === undefined) throw new Error('two first books')
    const proved = new ProvedBook(marketOf(up.marketId, [up.tokenId, down.tokenId]))
    const { doubts, states, problems } = follow(proved, frames.slice(0, 26))
    expect(problems).toEqual([])
    expect(doubts.map(({ cause }) => cause)).toEqual(['hash_mismatch'])
    expect(states.at(-1)?.eventAtMs).toBe(1_790_767_298_635)
    const [last] = booksIn(frames[26])
    expect(last?.tickSize).toBeUndefined()
    follow(proved, frames.slice(26))
    // The file has only one token of the pair; a mismatch of that token would have another cause of doubt.
    proved.settle((last?.eventAtMs ?? 0) + 300)
    expect(proved.doubt?.detail).toContain('changes that were never received')
  })

  test('the v2 session: its book is proved, also when the catalogue has no or a wrong version', () => {
    const frames = recordedLines<{ dir: string; data: string }>('no-licence-stated/ws-market-v2-session.jsonl')
      .filter(({ dir }) => dir === 'recv')
      .map(({ data }) => data)
    const [book] = booksIn(frames[0])
    if (book === undefined) throw new Error('no first book')
    for (const version of ['v1', 'v2'] as const) {
      const proved = new ProvedBook(marketOf(book.marketId, [book.tokenId, '1'], { version }))
      expect(follow(proved, frames).problems).toEqual([])
      expect(proved.doubt).toBeUndefined()
    }
  })

  test('REST books are proved: neg-risk, v1 and v2', () => {
    for (const [path, more] of [
      ['argos/book_yes.raw.json', { negRisk: true }],
      ['no-licence-stated/book-v1.json', {}],
      ['no-licence-stated/book-v2-empty.json', { version: 'v2' }],
    ] as const) {
      const { events, problems } = decodeBooks(recordedText(path))
      expect(problems, path).toEqual([])
      const [book] = events
      if (book === undefined) throw new Error(`no book in ${path}`)
      const proved = new ProvedBook(marketOf(book.marketId, [book.tokenId, '1'], more))
      proved.take(book, 1)
      expect([path, proved.doubt]).toEqual([path, undefined])
      proved.take({ ...book, hash: '0'.repeat(40), eventAtMs: book.eventAtMs + 1 }, 2)
      expect(proved.doubt?.cause).toBe('hash_mismatch')
    }
  })

  test('single frames of every kind are decoded', () => {
    const kinds = ['tick-size-change', 'best-bid-ask', 'price-change', 'market-resolved', 'new-market', 'book-array']
    for (const name of [...kinds, 'last-trade-price'])
      expect(decodeFrame(recordedText(`no-licence-stated/polymarketlab/${name}.json`)).problems, name).toEqual([])
  })

  test('the catalogue: a recorded page becomes markets, with everything their hashes need', () => {
    const plan = CATEGORY_PLANS.find(({ category }) => category === 'crypto')
    if (plan === undefined) throw new Error('no plan')
    const page = JSON.parse(recordedText('no-licence-stated/gamma-events-keyset-series10192.json')) as {
      events: unknown[]
    }
    const markets = page.events.flatMap((element) => {
      const event = GammaEventSchema.parse(element)
      return event.markets.map((market) => readMarket(event, GammaMarketSchema.parse(market), plan))
    })
    expect(markets.length).toBeGreaterThan(0)
    expect(markets[0]).toMatchObject({
      slug: 'btc-updown-15m-1791241200',
      subcategory: 'BTC',
      timeframe: '15m',
      facts: { version: 'v1', minOrderSize: '5' },
      startsAtMs: 1_791_241_200_000,
      endsAtMs: 1_791_242_100_000,
    })
  })

  test('Hyperliquid and Binance frames are decoded', () => {
    const frames = recordedText('no-licence-stated/order_book_server/ws_frames.jsonl').split('\n').filter(Boolean)
    const perps = frames.map((frame) => decodePerpFrame(frame, 'deep'))
    expect(perps.flatMap(({ problems }) => problems)).toEqual([])
    expect(perps.flatMap(({ events }) => events)).toMatchObject([
      { kind: 'book', coin: 'BTC' },
      { kind: 'trade', coin: 'BTC' },
    ])
    const tickers = recordedText('cryptofeed/BINANCE.ws.1.0')
      .split('\n')
      .filter((line) => line.includes('@bookTicker","data"'))
      // The recording has a pair that is not recorded here.
      .map((line) => decodeSpotFrame(line.slice(line.indexOf('{')).replace(/"s":"[A-Z]+"/, '"s":"BTCUSDT"')))
    expect(tickers.length).toBeGreaterThan(0)
    expect(tickers.flatMap(({ problems }) => problems)).toEqual([])
    expect(tickers.flatMap(({ events }) => events)).toHaveLength(tickers.length)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SequencedBook } from '../../src/venues/kalshi/sequenced-book.ts'
import { KalshiProtocol } from '../../src/venues/kalshi/socket-protocol.ts'
import { AT_MS, BOOKS, frames, MARKET, NAMES, opened, TICKER, TRADES } from './kalshi-scene.ts'

interface Command {
  id: number
  cmd: string
  params: { channels?: string[]; sids?: number[]; market_tickers: string[]; action?: string; use_yes_price?: boolean }
}

const commandsIn = (texts: readonly string[]): Command[] => texts.map((text) => JSON.parse(text) as Command)

describe('frames', () => {
  test('a snapshot is a book of YES: bids for NO are its asks, an absent side is empty', () => {
    const protocol = opened()
    const sides = {
      yes: [['0.4100', '10.00'] as const],
      no: [['0.5700', '2.50'] as const, ['0.0010', '0.01'] as const],
    }
    const book = {
      kind: 'book',
      marketId: MARKET.id,
      tokenId: NAMES.yesTokenId,
      eventAtMs: 1_794_916_801_000,
      hash: '',
    }
    expect(protocol.decode(frames.snapshot(BOOKS, 1, sides), AT_MS)).toEqual({
      events: [
        {
          ...book,
          bids: [{ price: 4_100, size: 10_000_000 }],
          asks: [
            { price: 4_300, size: 2_500_000 },
            { price: 9_990, size: 10_000 },
          ],
        },
      ],
      problems: [],
    })
    expect(protocol.decode(frames.snapshot(BOOKS, 2), AT_MS).events).toEqual([{ ...book, bids: [], asks: [] }])
  })

  test('a delta changes a bid of YES, or as a bid for NO an ask of YES', () => {
    const protocol = opened()
    const delta = { kind: 'delta', marketId: MARKET.id, tokenId: NAMES.yesTokenId, eventAtMs: 1_794_916_800_250 }
    expect(protocol.decode(frames.delta(BOOKS, 1), AT_MS).events).toEqual([
      { ...delta, side: 'bids', price: 4_200, sizeChange: 3_000_000 },
    ])
    expect(protocol.decode(frames.delta(BOOKS, 2, { side: 'no', delta_fp: '-0.01' }), AT_MS).events).toEqual([
      { ...delta, side: 'asks', price: 5_800, sizeChange: -10_000 },
    ])
    const [untimed] = protocol.decode(frames.delta(BOOKS, 3, { ts: undefined, ts_ms: undefined }), AT_MS).events
    expect(untimed).toMatchObject({ eventAtMs: 1_794_916_801_000 })
  })

  test('a trade is a purchase of the outcome that the taker got, also in a block trade', () => {
    const protocol = opened()
    const trade = {
      marketId: MARKET.id,
      side: 'BUY',
      price: 4_200,
      size: 2_500_000,
      tradedAtMs: 1_794_916_800_250,
      transactionHash: `0x${'0'.repeat(32)}0123456789abcdef0123456789abcdef`,
    }
    expect(protocol.decode(frames.trade(TRADES, 1), AT_MS)).toEqual({
      events: [{ kind: 'trade', tokenId: NAMES.yesTokenId, trade }],
      problems: [],
    })
    const sold = { taker_side: 'no', taker_outcome_side: 'no', taker_book_side: 'ask', is_block_trade: true }
    expect(protocol.decode(frames.trade(TRADES, 2, sold), AT_MS)).toEqual({
      events: [{ kind: 'trade', tokenId: NAMES.noTokenId, trade: { ...trade, price: 5_800 } }],
      problems: [],
    })
    const older = { taker_side: 'no', taker_outcome_side: undefined, taker_book_side: undefined, trade_id: 'T-1' }
    const [event] = protocol.decode(frames.trade(TRADES, 3, older), AT_MS).events
    expect(event).toMatchObject({ tokenId: NAMES.noTokenId })
    expect(event?.kind === 'trade' && event.trade.transactionHash).toMatch(/^0x[0-9a-f]{64}$/)
  })

  test.each([
    ['a price of 1', { price_dollars: '1.0000' }],
    ['a price with more decimals than a row can hold', { price_dollars: '0.42005' }],
    ['a size with more decimals than a row can hold', { delta_fp: '1.0000001' }],
    ['a number instead of a text', { delta_fp: 3 }],
    ['a side that nobody knows', { side: 'maybe' }],
    ['a time in seconds with decimals', { ts_ms: 1_794_916_800.25 }],
  ])('%s is not guessed: the book of the market is in doubt', (_what, more) => {
    const { events, problems, loss } = opened().decode(frames.delta(BOOKS, 1, more), AT_MS)
    expect([events, loss]).toEqual([[], undefined])
    expect(problems).toMatchObject([{ kind: 'undecodable', marketId: MARKET.id }])
  })

  test('a level and a trade without a size are not guessed either', () => {
    for (const text of [
      frames.snapshot(BOOKS, 1, { yes: [['0.4100', '0.00']] }),
      frames.trade(TRADES, 1, { count_fp: '0.00' }),
    ])
      expect(opened().decode(text, AT_MS)).toMatchObject({
        events: [],
        problems: [{ kind: 'undecodable', marketId: MARKET.id }],
      })
  })

  test('a change of an unknown market may belong to any: all books are in doubt', () => {
    const { problems, loss } = opened().decode(frames.delta(BOOKS, 1, { market_ticker: 7 }), AT_MS)
    expect(problems).toMatchObject([{ kind: 'undecodable' }])
    expect(loss?.cause).toBe('undecodable')
    expect(opened().decode('{"type":"orderbook_delta","sid":2,"se', AT_MS).loss?.cause).toBe('undecodable')
  })

  test('unknown keys and types are counted, and change nothing', () => {
    const protocol = opened()
    const { events, problems, loss } = protocol.decode(frames.delta(BOOKS, 1, { fee: '1' }), AT_MS)
    expect([events.length, loss]).toEqual([1, undefined])
    expect(problems).toEqual([{ kind: 'unknown_key', reason: 'orderbook_delta has the unknown key "fee"' }])
    for (const text of ['{"type":"news","sid":2,"seq":2}', '{"type":"ticker","sid":9,"msg":{}}', 'PONG', '{}'])
      expect(protocol.decode(text, AT_MS)).toMatchObject({ events: [], problems: [{ kind: 'unknown_event' }] })
    expect(protocol.decode(frames.delta(BOOKS, 3), AT_MS).loss).toBeUndefined()
  })

  test('errors 10 and 25 end the connection, other errors are counted', () => {
    const protocol = opened()
    expect(protocol.decode(frames.error(8, 'Unknown channel name'), AT_MS)).toEqual({
      events: [],
      problems: [{ kind: 'unknown_event', reason: 'error 8: Unknown channel name' }],
    })
    for (const code of [10, 25]) {
      const { loss } = protocol.decode(frames.error(code, 'over'), AT_MS)
      expect(loss).toMatchObject({ cause: 'disconnected', detail: expect.stringContaining(`error ${code}`) })
    }
    const numbered = frames.error(13, 'Unsupported action').replace('{', '{"sid":2,"seq":1,')
    expect(protocol.decode(numbered, AT_MS).loss).toBeUndefined()
    expect(protocol.decode(frames.snapshot(BOOKS, 2), AT_MS).loss).toBeUndefined()
  })
})

describe('commands', () => {
  test('a market is subscribed once for both tokens, with trades before books and the kind of price stated', () => {
    expect(commandsIn(new KalshiProtocol().subscribeFrames(MARKET.tokenIds))).toEqual([
      { id: 1, cmd: 'subscribe', params: { channels: ['trade'], market_tickers: [TICKER] } },
      {
        id: 2,
        cmd: 'subscribe',
        params: { channels: ['orderbook_delta'], market_tickers: [TICKER], use_yes_price: false },
      },
    ])
  })

  test('a further subscribe is merged: the answer is ok on the same subscription', () => {
    const protocol = opened()
    protocol.subscribeFrames(['KXOTHER-1:yes', 'KXOTHER-1:no'])
    for (const text of [
      frames.ok(TRADES, 1, [TICKER, 'KXOTHER-1']),
      frames.ok(BOOKS, 1, [TICKER, 'KXOTHER-1']),
      frames.snapshot(BOOKS, 2, { ticker: 'KXOTHER-1' }),
    ])
      expect(protocol.decode(text, AT_MS)).toMatchObject({ problems: [] })
    const removals = commandsIn(protocol.unsubscribeFrames(['KXOTHER-1:yes', 'KXOTHER-1:no']))
    expect(removals.map(({ cmd, params }) => [cmd, params.sids, params.market_tickers, params.action])).toEqual([
      ['update_subscription', [TRADES], ['KXOTHER-1'], 'delete_markets'],
      ['update_subscription', [BOOKS], ['KXOTHER-1'], 'delete_markets'],
    ])
  })

  test('no command names more than 500 markets', () => {
    const protocol = opened()
    const tokenIds = Array.from({ length: 1_101 }, (_, index) => `KXMANY-${index}:yes`)
    for (const commands of [protocol.subscribeFrames(tokenIds), protocol.unsubscribeFrames(tokenIds)])
      expect(commandsIn(commands).map(({ params }) => params.market_tickers.length)).toEqual([
        500, 500, 500, 500, 101, 101,
      ])
  })

  test('what is removed before the venue has confirmed the channels is removed with the next command', () => {
    const protocol = new KalshiProtocol()
    protocol.subscribeFrames([...MARKET.tokenIds, 'KXOTHER-1:yes'])
    expect(protocol.unsubscribeFrames(MARKET.tokenIds)).toEqual([])
    protocol.decode(frames.subscribed(TRADES, 'trade'), AT_MS)
    expect(protocol.unsubscribeFrames([])).toEqual([])
    protocol.decode(frames.subscribed(BOOKS, 'orderbook_delta'), AT_MS)
    // Removed and then subscribed, because a market that is still held gets no new snapshot.
    const commands = commandsIn(protocol.subscribeFrames(MARKET.tokenIds))
    expect(commands.map(({ cmd, params }) => params.action ?? cmd)).toEqual([
      'delete_markets',
      'delete_markets',
      'subscribe',
      'subscribe',
    ])
    expect(protocol.unsubscribeFrames([])).toEqual([])
  })

  test('what is subscribed again before that stays', () => {
    const protocol = new KalshiProtocol()
    protocol.subscribeFrames(MARKET.tokenIds)
    protocol.unsubscribeFrames(MARKET.tokenIds)
    expect(commandsIn(protocol.subscribeFrames(MARKET.tokenIds)).map(({ cmd }) => cmd)).toEqual([
      'subscribe',
      'subscribe',
    ])
    protocol.decode(frames.subscribed(TRADES, 'trade'), AT_MS)
    protocol.decode(frames.subscribed(BOOKS, 'orderbook_delta'), AT_MS)
    expect(protocol.unsubscribeFrames([])).toEqual([])
  })
})

const anything = fc.oneof(fc.jsonValue(), fc.constantFrom({ toString: 5 }, { toString: null, valueOf: 1 }))
const mostly = <Value>(usual: fc.Arbitrary<Value>, unusual: fc.Arbitrary<unknown> = anything) =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: unusual })
/** Few prices, so that changes meet levels, and books are crossed now and then. */
const price = mostly(
  fc.integer({ min: 46, max: 51 }).map((cents) => `0.${cents}00`),
  fc.constantFrom('', '.', '1', '0', '0.00001', 'NaN', '1e-3', '-0.5', 0.5),
)
const size = mostly(
  fc.integer({ min: 1, max: 500 }).map((units) => (units / 100).toFixed(2)),
  fc.constantFrom('9007199254740991', '9007199254.740991', '', '0.00', '-', '--1', '1.00000001', 1),
)
const sizeChange = fc.oneof(size, fc.constantFrom('-1.00', '-0.01', '-9007199254.740991'))
const bids = mostly(fc.uniqueArray(fc.tuple(price, size), { maxLength: 4, selector: ([units]) => units }))
const message = fc.record(
  {
    market_ticker: mostly(fc.constant(TICKER)),
    yes_dollars_fp: bids,
    no_dollars_fp: bids,
    price_dollars: price,
    delta_fp: sizeChange,
    side: mostly(fc.constantFrom('yes', 'no')),
    yes_price_dollars: price,
    count_fp: size,
    taker_book_side: mostly(fc.constantFrom('bid', 'ask')),
    trade_id: mostly(fc.uuid()),
    ts_ms: mostly(fc.integer({ min: 1 })),
    channel: mostly(fc.constantFrom('trade', 'orderbook_delta')),
    sid: mostly(fc.integer({ min: 0, max: 4 })),
    code: mostly(fc.integer({ min: 0, max: 30 })),
    msg: anything,
  },
  { requiredKeys: ['market_ticker', 'price_dollars', 'delta_fp', 'side'] },
)
const DATA_TYPES = ['orderbook_snapshot', 'orderbook_delta', 'orderbook_delta', 'orderbook_delta', 'trade']
const dataFrame = fc
  .record({
    type: mostly(
      fc.constantFrom(...DATA_TYPES),
      fc.oneof(fc.constantFrom('ok', 'subscribed', 'unsubscribed', 'error'), anything),
    ),
    sid: mostly(fc.constantFrom(BOOKS, TRADES)),
    seq: mostly(fc.constant('next')),
    msg: mostly(message),
  })
  .map((fields) => JSON.stringify(fields))
const frame = fc.oneof(
  { weight: 40, arbitrary: dataFrame },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.json() },
)

test('no frame makes the decoder throw, or leads to a book that cannot exist', () => {
  const seen = { levels: 0, trades: 0, doubts: 0, losses: 0 }
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 60 }), (texts) => {
      const protocol = opened()
      const book = new SequencedBook(MARKET)
      for (const text of texts) {
        const lastSeqs = new Map(protocol.checkpoint().subscriptions.map(([sid, , lastSeq]) => [String(sid), lastSeq]))
        const numbered = text.replace(/"sid":(\d+),"seq":"next"/, (_, sid: string) => {
          return `"sid":${sid},"seq":${(lastSeqs.get(sid) ?? 0) + 1}`
        })
        const { events, loss } = protocol.decode(numbered, AT_MS)
        if (loss !== undefined) {
          seen.losses++
          book.distrust(loss)
        }
        for (const event of events) {
          if (event.kind === 'trade') {
            seen.trades++
            expect([event.trade.size > 0, event.trade.price > 0, event.trade.price < 10_000]).toEqual([
              true,
              true,
              true,
            ])
          }
          if (event.kind !== 'resolved' && event.kind !== 'created') book.take(event, AT_MS)
        }
        expect(impossibilityOf(book)).toBeUndefined()
        seen.levels += (book.proved?.up.bids.length ?? 0) + (book.proved?.up.asks.length ?? 0)
      }
      seen.doubts += book.takeDoubts().length
    }),
    { numRuns: 300 },
  )
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(50)
})

function impossibilityOf({ proved }: SequencedBook): string | undefined {
  if (proved === undefined) return undefined
  const { bids, asks } = proved.up
  for (const { price: units, size: amount } of [...bids, ...asks, ...proved.down.bids, ...proved.down.asks]) {
    if (!Number.isInteger(units) || units <= 0 || units >= 10_000) return `a price of ${units}`
    if (!Number.isSafeInteger(amount) || amount <= 0) return `a size of ${amount}`
  }
  const isSorted = (prices: number[], direction: 1 | -1): boolean =>
    prices.every((units, index) => index === 0 || (units - (prices[index - 1] ?? 0)) * direction > 0)
  const pricesOf = (levels: typeof bids): number[] => levels.map((level) => level.price)
  if (!isSorted(pricesOf(bids), -1) || !isSorted(pricesOf(asks), 1)) return 'levels out of order'
  return (bids[0]?.price ?? 0) >= (asks[0]?.price ?? 10_000) ? 'crossed' : undefined
}

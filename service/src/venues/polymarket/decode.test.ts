import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBooks, decodeFrame } from './decode.ts'

const MARKET = `0x${'ab'.repeat(32)}`
const HASH = '0123456789012345678901234567890123456789'
const book = {
  market: MARKET,
  asset_id: '7001',
  timestamp: '1790000000000',
  hash: HASH,
  bids: [
    { price: '0.01', size: '420946.15' },
    { price: '.48', size: '5' },
  ],
  asks: [{ price: '0.501', size: '0.000001' }],
}
const entry = { asset_id: '7001', price: '0.5', size: '0', side: 'BUY', hash: HASH, best_bid: '0', best_ask: '1' }
const change = { market: MARKET, price_changes: [entry], timestamp: '1790000000000', event_type: 'price_change' }
const frame = (value: unknown): ReturnType<typeof decodeFrame> => decodeFrame(JSON.stringify(value))
const problemsOf = (value: unknown): string[] => frame(value).problems.map(({ kind }) => kind)

test('numbers become exact units, sides become ladders', () => {
  expect(frame({ ...book, event_type: 'book', tick_size: '0.01', last_trade_price: '0.280' })).toEqual({
    events: [
      {
        kind: 'book',
        marketId: MARKET,
        tokenId: '7001',
        bids: [
          { price: 100, size: 420_946_150_000 },
          { price: 4_800, size: 5_000_000 },
        ],
        asks: [{ price: 5_010, size: 1 }],
        eventAtMs: 1_790_000_000_000,
        hash: HASH,
        tickSize: '0.01',
        lastTradeText: '0.280',
      },
    ],
    problems: [],
  })
  const [event] = frame(change).events
  expect(event).toMatchObject({ kind: 'change', entries: [{ side: 'bids', price: 5_000, size: 0 }] })
  expect(event).toMatchObject({ entries: [{ bestBid: 0, bestAsk: 10_000 }] })
})

test('a REST book is decoded like a socket book', () => {
  const body = { ...book, min_order_size: '5', tick_size: '0.01', neg_risk: false, last_trade_price: '' }
  expect(decodeBooks(JSON.stringify(body)).events).toHaveLength(1)
  const { events, problems } = decodeBooks(JSON.stringify([body, { ...body, hash: 7 }, body]))
  expect([events.length, problems.length]).toEqual([2, 1])
})

test('a frame may be an array, and one invalid element does not affect the others', () => {
  const { events, problems } = frame([change, { ...change, price_changes: 'none' }, null, change])
  expect(events).toHaveLength(2)
  expect(problems).toEqual([
    { kind: 'undecodable', reason: 'price_changes is not a list', marketId: MARKET },
    { kind: 'undecodable', reason: 'an element is not an object' },
  ])
})

test('text that is not JSON is ignored; truncated JSON is lost data', () => {
  for (const text of ['PONG', 'NO NEW ASSETS', '', 'ping', '\u0000', '[]\n'])
    expect(decodeFrame(text), text).toEqual({ events: [], problems: [] })
  for (const text of ['{', '[{"market":"0x', JSON.stringify(change).slice(0, -1)])
    expect(decodeFrame(text).problems.map(({ kind }) => kind)).toEqual(['undecodable'])
})

test('unknown event types and keys are reported as problems', () => {
  expect(problemsOf({ event_type: 'order_book_vibe' })).toEqual(['unknown_event'])
  expect(problemsOf({ ...change, since: 'yes' })).toEqual(['unknown_key'])
  expect(problemsOf({ ...change, price_changes: [{ ...entry, since: 'yes' }] })).toEqual(['unknown_key'])
  expect(frame({ ...change, since: 'yes' }).events).toHaveLength(1)
  expect(problemsOf({ ...change, event_type: 'best_bid_ask', price_changes: undefined })).toEqual([])
})

test('an invalid or too precise number is refused and never rounded', () => {
  const sizes = ['-1', 'NaN', 'Infinity', '1e9', '0.0000001', '9'.repeat(400), ' 1', '0x10', '']
  for (const size of sizes) expect(problemsOf({ ...change, price_changes: [{ ...entry, size }] }), size).toHaveLength(1)
  const prices = ['0', '1', '1.01', '-0.5', '0.00001', 'NaN', '', 0.5, null]
  for (const price of prices) expect(problemsOf({ ...change, price_changes: [{ ...entry, price }] })).toHaveLength(1)
  for (const timestamp of ['', '-1', '1.5', '99999999999999', 1_790_000_000_000, '01'])
    expect(problemsOf({ ...change, timestamp })).toEqual(['undecodable'])
})

test('ids and hashes that are stored as bytes must have that many hex digits', () => {
  for (const market of ['', '0xab', `0x${'AB'.repeat(32)}`, MARKET.slice(2), `${MARKET}00`])
    expect(problemsOf({ ...change, market })).toEqual(['undecodable'])
  const trade = { ...entry, market: MARKET, timestamp: '1790000000000', event_type: 'last_trade_price', size: '1' }
  expect(problemsOf({ ...trade, hash: undefined, best_bid: undefined, transaction_hash: '0xnot' })).toContain(
    'undecodable',
  )
})

test('a book at the finest tick is read, and one of more than 10,000 levels per side is refused', () => {
  const all = Array.from({ length: 9_999 }, (_, index) => ({ price: ((index + 1) / 10_000).toFixed(4), size: '1' }))
  expect(frame({ ...book, event_type: 'book', bids: all, asks: [] })).toMatchObject({
    events: [{ bids: { length: 9_999 } }],
    problems: [],
  })
  expect(frame({ ...book, event_type: 'book', bids: [...all, all[0], all[0]] }).problems).toEqual([
    { kind: 'undecodable', reason: 'bids has 10001 elements, more than 10000', marketId: MARKET },
  ])
})

test('the winner is the named token, whatever the order of the others', () => {
  const resolved = {
    market: MARKET,
    timestamp: '1790000000000',
    event_type: 'market_resolved',
    winning_asset_id: '7002',
  }
  const event = { kind: 'resolved', marketId: MARKET, winningTokenId: '7002', resolvedAtMs: 1_790_000_000_000 }
  for (const assets_ids of [['7001', '7002'], ['7002', '7001'], undefined])
    expect(frame({ ...resolved, assets_ids }).events).toEqual([event])
  expect(frame({ ...resolved, winning_asset_id: null }).events).toEqual([{ ...event, winningTokenId: undefined }])
})

test('decoding never throws, and its reasons never contain the frame', () => {
  const anything = fc.oneof(
    fc.json(),
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify({ ...change, ...(value as object) })),
  )
  fc.assert(
    fc.property(anything, (text) => {
      const { problems } = decodeFrame(text)
      for (const { reason } of problems) expect(reason.length).toBeLessThan(120)
    }),
  )
  const poisoned = `{"__proto__":{"event_type":"book"},"constructor":{"prototype":{"polluted":1}}}`
  expect(decodeFrame(poisoned).events).toEqual([])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

import { describe, expect, test } from 'vitest'
import { createChecker } from './checker.ts'
import { complementOf } from './decimal.ts'
import {
  argosFrames,
  recordedText,
  recordingsExist,
  recordingsPlace,
  run8Frames,
  v2SessionFrames,
} from './recordings.ts'
import type { TokenFacts } from './token-watch.ts'

interface WireBook {
  market: string
  asset_id: string
  bids: { price: string; size: string }[]
  asks: { price: string; size: string }[]
}

function factsFor(market: string, tokens: readonly string[], version: 'v1' | 'v2' = 'v1'): Map<string, TokenFacts> {
  return new Map(tokens.map((token) => [token, { market, minOrderSize: '5', negRisk: false, version }]))
}

function firstBooks(frames: readonly string[]): WireBook[] {
  return JSON.parse(frames[0] ?? '[]')
}

const mirrored = (levels: WireBook['bids']) => levels.map(({ price, size }) => ({ price: complementOf(price), size }))

const missing = !recordingsExist()
if (missing) process.stderr.write(`SKIPPED, ${recordingsPlace} does not exist: recorded frames\n`)
describe.skipIf(missing)('recorded frames', () => {
  describe('argos, one token subscribed', () => {
    test('29 batches and 4 books of the subscribed token prove; the other token is ignored', () => {
      const frames = argosFrames()
      const [book] = firstBooks(frames)
      const checker = createChecker({ facts: factsFor(book?.market ?? '', [book?.asset_id ?? '']) })
      for (const frame of frames) checker.take(frame)
      checker.finish()
      const tally = checker.tally()
      expect(tally).toMatchObject({ batches: 29, provedBatches: 29, books: 4, provedBooks: 4, mismatches: [] })
      expect(tally).toMatchObject({ ignored: 34, texts: 4, wrongTops: 0, problems: [], unknownEvents: {}, pending: 0 })
    })

    test('all 58 batches prove when the other token starts from the mirrored book', () => {
      const frames = argosFrames()
      const [book] = firstBooks(frames)
      if (!book) throw new Error('no first book')
      const named = frames.join('').matchAll(/"asset_id":"(\d+)"/g)
      const [mirrorToken = ''] = [...named].flatMap(([, token = '']) => (token === book.asset_id ? [] : [token]))
      const checker = createChecker({ facts: factsFor(book.market, [book.asset_id, mirrorToken]) })
      const start = { bids: mirrored(book.asks), asks: mirrored(book.bids), tickSize: '0.01', lastTradePrice: '0.280' }
      checker.hold(mirrorToken, start)
      for (const frame of frames) checker.take(frame)
      checker.finish()
      const tally = checker.tally()
      expect(tally).toMatchObject({ batches: 58, provedBatches: 58, books: 4, provedBooks: 4, mismatches: [] })
      // The three trades were all at 0.28, so that the last trade price never changed.
      expect(tally.proofs).toEqual({ stated: 1, oldValue: 58, touchedLevel: 0, tradeEvent: 0, search: 0 })
      expect(tally).toMatchObject({ wrongTops: 0, problems: [] })
      expect(checker.provedKeys(book.asset_id)).toHaveLength(29)
      expect(checker.provedKeys(mirrorToken)).toHaveLength(29)
    })
  })

  describe('run 8, both tokens subscribed', () => {
    const watch = (frames: readonly string[]) => {
      const books = firstBooks(frames)
      const facts = factsFor(
        books[0]?.market ?? '',
        books.map((book) => book.asset_id),
      )
      const checker = createChecker({ facts })
      for (const frame of frames) checker.take(frame)
      checker.finish()
      return checker.tally()
    }

    test('lines 1–23: all 26 batches and both first books prove, before any trade', () => {
      const tally = watch(run8Frames().slice(0, 23))
      expect(tally).toMatchObject({ batches: 26, provedBatches: 26, books: 2, provedBooks: 2, mismatches: [] })
      expect(tally.proofs).toEqual({ stated: 2, oldValue: 26, touchedLevel: 0, tradeEvent: 0, search: 0 })
      expect(tally).toMatchObject({ wrongTops: 0, problems: [] })
    })

    // The source cut five minutes of price changes out here. A full book stands alone, so the three books
    // after the cut prove; the price changes that led to them are not in the file and cannot be proved.
    test('after the cut: the three books after trades prove, with a price at a level that changed', () => {
      const tally = watch(run8Frames())
      expect(tally).toMatchObject({ batches: 26, provedBatches: 26, books: 5, provedBooks: 5, mismatches: [] })
      expect(tally.proofs).toEqual({ stated: 2, oldValue: 27, touchedLevel: 2, tradeEvent: 0, search: 0 })
      expect(tally.events).toEqual({ book: 5, price_change: 20, last_trade_price: 2 })
    })
  })

  test('polymarketlab: both books of a first frame prove', () => {
    const frame = recordedText('no-licence-stated/polymarketlab/book-array.json')
    const books = firstBooks([frame])
    const tokens = books.map((book) => book.asset_id)
    const checker = createChecker({ facts: factsFor(books[0]?.market ?? '', tokens) })
    checker.take(frame)
    checker.finish()
    expect(checker.tally()).toMatchObject({ books: 2, provedBooks: 2, mismatches: [], problems: [] })
  })

  test('polymarketlab: the last removal at settlement proves the empty books of both tokens', () => {
    const [up, down] = [
      '39380455732777541460182228901170103342295047760602489732172685203069049658354',
      '111829523372964714082931288140246517573844643533796580245290450692807668293921',
    ] as const
    const market = '0xdd306d515bd45284b15076a703f63217ca90d56a4a0711fa02a7565c7384bcce'
    const checker = createChecker({ facts: factsFor(market, [up, down]) })
    const rest = { tickSize: '0.01', lastTradePrice: '0.999' }
    checker.hold(up, { bids: [{ price: '0.1', size: '7' }], asks: [], ...rest })
    checker.hold(down, { bids: [], asks: [{ price: '0.9', size: '7' }], ...rest, tickSize: '0.001' })
    for (const name of ['tick-size-change', 'best-bid-ask', 'price-change', 'market-resolved', 'new-market'])
      checker.take(recordedText(`no-licence-stated/polymarketlab/${name}.json`))
    checker.finish()
    const tally = checker.tally()
    expect(tally).toMatchObject({ batches: 2, provedBatches: 2, mismatches: [], wrongTops: 0, problems: [] })
    expect(tally.events).toMatchObject({ tick_size_change: 1, best_bid_ask: 1, market_resolved: 1, new_market: 1 })
  })

  test('the v2 session: its one book proves, and only as v2', () => {
    const frames = v2SessionFrames()
    const [book] = firstBooks(frames)
    for (const version of ['v1', 'v2'] as const) {
      const checker = createChecker({ facts: factsFor(book?.market ?? '', [book?.asset_id ?? ''], version) })
      for (const frame of frames) checker.take(frame)
      checker.finish()
      expect(checker.tally()).toMatchObject({ books: 1, provedBooks: version === 'v2' ? 1 : 0, texts: 5, problems: [] })
    }
  })
})

import { describe, expect, test } from 'vitest'
import { type Checker, createChecker } from './checker.ts'
import { createTinyMarket, type TinyMarket } from './tiny-market.ts'

function follow({ market, tokens }: TinyMarket, followed: readonly string[] = tokens): Checker {
  const facts = { market, minOrderSize: '5', negRisk: false, version: 'v1' } as const
  return createChecker({ facts: new Map(followed.map((token) => [token, facts])) })
}

function takeAll(checker: Checker, frames: readonly string[]): void {
  for (const frame of frames) checker.take(frame)
}

const bid = (thousandths: number, hundredths: number) => ({ thousandths, hundredths })

describe('a batch', () => {
  test('stays pending while frames may still arrive, and is proved when the next begins', () => {
    const market = createTinyMarket(10)
    const checker = follow(market)
    takeAll(checker, [market.first(), ...market.batch([bid(400, 1), bid(410, 2), bid(420, 3)], 3, 1)])
    expect(checker.tally()).toMatchObject({ books: 2, provedBooks: 2, batches: 0, pending: 2 })
    takeAll(checker, market.batch([bid(400, 5)], 1, 0))
    expect(checker.tally()).toMatchObject({ batches: 2, provedBatches: 2, pending: 2, mismatches: [] })
    checker.finish()
    expect(checker.tally()).toMatchObject({ batches: 4, provedBatches: 4, pending: 0, mismatches: [] })
    expect(checker.provedKeys('7001')).toEqual(market.publishedKeys['7001'])
  })

  test('keeps the tick with which it began', () => {
    const market = createTinyMarket(10)
    const checker = follow(market)
    const [begin = '', ...rest] = market.batch([bid(400, 1), bid(410, 2)], 2, 1)
    takeAll(checker, [createTinyMarket(10).first(), begin, ...market.finerTick(), ...rest])
    takeAll(checker, market.batch([bid(405, 3)], 1, 1))
    checker.finish()
    expect(checker.tally()).toMatchObject({ batches: 4, provedBatches: 4, mismatches: [] })
  })

  test('is not corrected by the book after it', () => {
    const market = createTinyMarket(10)
    const checker = follow(market)
    checker.take(market.first())
    const [change = '', ...books] = market.trade(true, 0)
    checker.take(change.replaceAll('"size":"0"', '"size":"1"'))
    takeAll(checker, books)
    checker.finish()
    expect(checker.tally()).toMatchObject({ batches: 2, provedBatches: 0, books: 4, provedBooks: 4 })
    expect(checker.tally().mismatches).toHaveLength(2)
  })

  test('after a lost one is counted separately, until a full book restores the token', () => {
    const market = createTinyMarket(10)
    const checker = follow(market, ['7001'])
    checker.take(market.first())
    market.batch([bid(400, 1)], 1, 1)
    for (const size of [1, 2, 3]) takeAll(checker, market.batch([bid(410, size)], 1, 1))
    checker.take(market.first())
    takeAll(checker, market.batch([bid(420, 9)], 1, 1))
    checker.finish()
    const { mismatches, provedBatches, perMarket } = checker.tally()
    expect(mismatches.map(({ follows }) => follows)).toEqual([false, true, true])
    expect(perMarket[market.market]).toEqual({ batches: 4, provedBatches: 1, books: 2, provedBooks: 2, mismatches: 3 })
    expect(provedBatches).toBe(1)
  })
})

describe('the last trade price', () => {
  test('is found at the touched level when a trade changes it', () => {
    const market = createTinyMarket(10)
    const checker = follow(market)
    takeAll(checker, [market.first(), ...market.trade(true, 0), ...market.trade(false, 0)])
    checker.finish()
    expect(checker.tally().proofs).toEqual({ stated: 2, oldValue: 2, touchedLevel: 2, tradeEvent: 0, search: 0 })
  })

  /** A trade whose frames are lost, and an order that restores the level: only the last price has changed. */
  function silentTrade(): { checker: Checker; later: string[]; trade: string } {
    const market = createTinyMarket(10)
    const checker = follow(market)
    checker.take(market.first())
    const trade = market.trade(true, 0).at(-1) ?? ''
    market.batch([bid(480, 10_000)], 1, 1)
    return { checker, later: market.batch([bid(300, 1)], 1, 1), trade }
  }

  test('is taken from the trade event when no touched level has it', () => {
    const { checker, later, trade } = silentTrade()
    takeAll(checker, [...later, trade])
    checker.finish()
    expect(checker.tally().mismatches).toEqual([])
    expect(checker.tally().proofs).toMatchObject({ tradeEvent: 1, search: 0, oldValue: 1 })
  })

  test('is searched when no frame has it, and a trade event soon after explains the search', () => {
    const { checker, later, trade } = silentTrade()
    takeAll(checker, later)
    checker.finish()
    expect(checker.tally().mismatches).toEqual([])
    expect(checker.tally().proofs).toMatchObject({ tradeEvent: 0, search: 1, oldValue: 1 })
    checker.take(trade)
    expect(checker.tally().proofs).toMatchObject({ tradeEvent: 1, search: 0, oldValue: 1 })
  })
})

describe('a frame', () => {
  test('that is not JSON, an empty list or an unknown event is counted and ignored', () => {
    const checker = follow(createTinyMarket(2))
    takeAll(checker, ['PONG', 'NO NEW ASSETS', '[]\n', '{"event_type":"weather"}'])
    expect(checker.tally()).toMatchObject({ texts: 2, unknownEvents: { weather: 1 }, problemCount: 0, events: {} })
  })

  test.each([
    ['{"event_type":"book","market":1}', 'market is 1, not a text'],
    ['{"market":"x"}', 'event_type is missing, not a text'],
    ['7', 'an object is expected, not 7'],
  ])('%s is told as a problem', (frame, problem) => {
    const checker = follow(createTinyMarket(2))
    checker.take(frame)
    expect(checker.tally().problems).toEqual([problem])
  })

  test('with wrong best prices, wrong order of levels or another market is detected', () => {
    const market = createTinyMarket(10)
    const checker = follow(market)
    checker.take(market.first())
    const [change = ''] = market.batch([bid(400, 1)], 1, 1)
    checker.take(change.replaceAll('"best_bid":"0.48"', '"best_bid":"0.47"'))
    const book = JSON.parse(market.first())[0]
    checker.take(JSON.stringify({ ...book, bids: book.bids.toReversed() }))
    checker.take(JSON.stringify({ ...book, market: '0xcd' }))
    checker.finish()
    expect(checker.tally()).toMatchObject({ wrongTops: 2, mismatches: [], problemCount: 2 })
  })

  test('about a token that is not followed is ignored', () => {
    const market = createTinyMarket(10)
    const checker = follow(market, ['7002'])
    takeAll(checker, [market.first(), ...market.batch([bid(400, 1)], 1, 1)])
    checker.finish()
    expect(checker.tally()).toMatchObject({ ignored: 2, batches: 1, provedBatches: 1, books: 1, provedBooks: 1 })
  })
})

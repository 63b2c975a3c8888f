import { expect, test } from 'vitest'
import type { ContextFigures } from '../domain/rows/perp-context.ts'
import type { PerpEvent } from '../venues/perp-events.ts'
import { PerpTape } from './perp-tape.ts'

const START_MS = 1_800_000_000_000

function openTape() {
  let nowMs = START_MS
  const tape = new PerpTape('hyperliquid', ['BTC', 'ETH'], () => nowMs)
  return {
    tape,
    at: (seconds: number): void => {
      nowMs = START_MS + seconds * 1_000
    },
    take: (event: PerpEvent): void => tape.take(event, nowMs),
  }
}

function context(openInterest: bigint, coin = 'BTC'): PerpEvent {
  const figures: ContextFigures = {
    funding: -1n,
    openInterest,
    markPrice: 3n,
    oraclePrice: 4n,
    previousDayPrice: 5n,
    dayNotional: 6n,
    dayVolume: 7n,
    book: undefined,
  }
  return { kind: 'context', coin, figures }
}

function trade(tradeId: number): PerpEvent {
  const transactionHash = `0x${'0'.repeat(64)}`
  return {
    kind: 'trade',
    coin: 'BTC',
    trade: { tradeId, side: 'BUY', price: 1, size: 1, tradedAtMs: START_MS, transactionHash },
  }
}

test('a context is stored when it has changed, and a trade once, also when the venue repeats it', () => {
  const { tape, take, at } = openTape()
  for (const [second, openInterest] of [1n, 1n, 2n, 1n].entries()) {
    at(second)
    take(context(openInterest))
    take(trade(second < 2 ? 10 : 11))
  }
  const rows = tape.takeRows()
  expect(rows.flatMap(({ kind, row }) => (kind === 'context' ? [[row.openInterest, row.receivedAtMs]] : []))).toEqual([
    [1n, START_MS],
    [2n, START_MS + 2_000],
    [1n, START_MS + 3_000],
  ])
  expect(rows.flatMap(({ kind, row }) => (kind === 'trade' ? [row.tradeId] : []))).toEqual([10, 11])
  expect(tape.takeRows()).toEqual([])
})

test('a thousand trades are remembered, not more', () => {
  const { tape, take } = openTape()
  for (let id = 0; id <= 1_000; id++) take(trade(id))
  expect(tape.takeRows()).toHaveLength(1_001)
  take(trade(1))
  expect(tape.takeRows()).toEqual([])
  take(trade(0))
  expect(tape.takeRows()).toHaveLength(1)
})

test('from a lost connection to the next context everything of a coin may be missing, told every second and at the end', () => {
  const { tape, take, at } = openTape()
  for (const coin of ['BTC', 'ETH'])
    expect(tape.takeLosses(coin)).toMatchObject([{ cause: 'disconnected', rightUntilMs: START_MS }])
  at(1)
  take(context(1n))
  take(context(1n, 'ETH'))
  expect(tape.takeLosses('BTC')).toMatchObject([{ rightUntilMs: START_MS }])
  expect(tape.takeLosses('BTC')).toEqual([])

  at(2)
  tape.lost({ cause: 'disconnected', detail: 'closed with 1006' })
  const loss = { cause: 'disconnected', detail: 'closed with 1006', rightUntilMs: START_MS + 1_000 }
  expect(tape.takeLosses('BTC')).toEqual([loss])
  at(2.5)
  expect(tape.takeLosses('BTC')).toEqual([])
  at(3.2)
  expect(tape.takeLosses('BTC')).toEqual([loss])
  at(3.3)
  take(context(1n))
  expect(tape.takeLosses('BTC')).toEqual([loss])
  at(4.4)
  expect(tape.takeLosses('BTC')).toEqual([])
  expect(tape.takeLosses('ETH')).toMatchObject([{ rightUntilMs: START_MS }, loss])
})

test('a coin without contexts for five seconds may miss trades, too', () => {
  const { tape, take, at } = openTape()
  take(context(1n))
  tape.takeLosses('BTC')
  at(5)
  take(trade(1))
  expect(tape.takeLosses('BTC')).toEqual([])
  at(5.1)
  expect(tape.takeLosses('BTC')).toMatchObject([{ cause: 'venue_silent', rightUntilMs: START_MS }])
})

test('after a pause nothing is claimed about the time of the pause, and the first context is stored again', () => {
  const { tape, take, at } = openTape()
  take(context(1n))
  tape.pause()
  at(3_600)
  expect(tape.takeRows()).toEqual([])
  expect(tape.takeLosses('BTC')).toMatchObject([{ rightUntilMs: START_MS + 3_600_000 }])
  take(context(1n))
  expect(tape.takeRows()).toHaveLength(1)
})

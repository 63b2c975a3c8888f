import { OfflineWorld } from '@bookreel/simulator/polymarket/offline-world'
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { expect, test } from 'vitest'
import { mirrorOf, sameLadders } from '../../src/domain/book.ts'
import { decodeFrame } from '../../src/venues/polymarket/decode.ts'
import { ProvedBook } from '../../src/venues/polymarket/proved-book.ts'
import { measureHashCost } from './hash-cost.ts'
import { marketFacts, truthOf } from './world-truth.ts'

/** Shortly before the open windows end, so that they are resolved soon. */
const NEAR_THE_END_MS = Date.parse('2026-11-15T02:24:15Z')

function isTrue({ proved }: ProvedBook, market: WorldMarket): boolean {
  const { up, down } = truthOf(market)
  if (proved === undefined || !sameLadders(proved.up, up)) return false
  return sameLadders(proved.down, down) && sameLadders(proved.down, mirrorOf(proved.up))
}

function follow(size: { hot: number; medium: number; cold: number }, untilMs: number, seed: string) {
  const books = new Map<string, ProvedBook>()
  const seen = { batches: 0, trades: 0, ticks: 0, resolved: 0 }
  const give = (book: ProvedBook, text: string, atMs: number): void => {
    const { events, problems } = decodeFrame(text)
    if (problems.length > 0) throw new Error(`not understood: ${text}`)
    for (const event of events) if (event.kind !== 'resolved' && event.kind !== 'created') book.take(event, atMs)
  }
  const told = new OfflineWorld({ size, seed, startMs: NEAR_THE_END_MS }, ({ kind, market, frames, atMs }) => {
    const book = books.get(market.conditionId)
    if (book === undefined) return
    for (const frame of frames) {
      const before = book.proved
      give(book, frame, atMs)
      // Never half applied: a state does not change until the next batch is complete.
      if (book.proved !== before && !isTrue(book, market)) throw new Error(`half applied: ${frame}`)
    }
    if (kind === 'tick') seen.ticks++
    if (kind === 'trade') seen.trades++
    if (kind === 'resolved') seen.resolved++
    if (kind !== 'batch') return
    seen.batches++
    expect([book.doubt, book.proved?.eventAtMs, book.proved?.receivedAtMs]).toEqual([undefined, atMs, atMs])
    expect(isTrue(book, market)).toBe(true)
  })
  for (const market of told.world.markets.values()) {
    if (market.phase !== 'trading') continue
    const book = new ProvedBook(marketFacts(market))
    books.set(market.conditionId, book)
    give(book, told.firstFrame(market), NEAR_THE_END_MS)
    expect(isTrue(book, market)).toBe(true)
  }
  told.world.advance(untilMs)
  return { books, seen }
}

test('every batch ends proved and equal to the true book of both tokens, through trades, tick changes and resolution', () => {
  const { books, seen } = follow({ hot: 2, medium: 2, cold: 2 }, NEAR_THE_END_MS + 3.4 * 60_000, 'truth')
  expect(seen.batches).toBeGreaterThan(2_000)
  expect(Math.min(seen.trades, seen.ticks, seen.resolved), JSON.stringify(seen)).toBeGreaterThan(0)
  for (const book of books.values()) expect(book.takeDoubts()).toEqual([])
})

test('6,650 hashes per second use a small part of one core', () => {
  measureHashCost(5)
  const { hashMicros, levels } = measureHashCost(30)
  expect(levels).toBeGreaterThan(40)
  // Measured at 12 µs, which is 8 % of a core; the bound leaves room for a machine shared with other tests.
  expect(hashMicros).toBeLessThan(600)
})

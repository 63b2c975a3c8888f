import type { WorldSize } from '@bookreel/simulator/world/roster'
import { decodeFrame } from '../../src/venues/polymarket/decode.ts'
import { ProvedBook } from '../../src/venues/polymarket/proved-book.ts'
import { marketFacts, ToldWorld, WORLD_START_MS } from './told-world.ts'

export interface FalseDoubts {
  trades: number
  frames: number
  states: number
  doubts: string[]
  unknown: string[]
  /** Books that were not proved when the venue had said everything. */
  unproved: number
}

/** Follows a faultless world until so many trades were told, and counts what was doubted all the same. */
export function countFalseDoubts(trades: number, size: WorldSize, seed = 'false doubts'): FalseDoubts {
  const counts: FalseDoubts = { trades: 0, frames: 0, states: 0, doubts: [], unknown: [], unproved: 0 }
  const books = new Map<string, ProvedBook>()
  const take = (book: ProvedBook, frame: string, atMs: number): void => {
    const { events, problems } = decodeFrame(frame)
    counts.frames++
    for (const { reason } of problems) counts.unknown.push(reason)
    for (const event of events) {
      if (event.kind === 'trade') counts.trades++
      if (event.kind !== 'resolved' && event.kind !== 'created') book.take(event, atMs)
    }
  }
  const told = new ToldWorld({ size, seed }, ({ kind, market, atMs, frames }) => {
    const known = books.get(market.conditionId)
    if (known === undefined) return
    for (const frame of frames) take(known, frame, atMs)
    if (kind === 'batch' && known.proved?.eventAtMs !== atMs) counts.unproved++
    if (atMs % 7 === 0) known.settle(atMs)
    counts.states += known.takeChangeCount()
    counts.doubts.push(...known.takeDoubts().map(({ cause, detail }) => `${cause}: ${detail}`))
  })
  const follow = (): void => {
    for (const market of told.world.markets.values()) {
      if (books.has(market.conditionId) || market.phase !== 'trading') continue
      const book = new ProvedBook(marketFacts(market))
      books.set(market.conditionId, book)
      take(book, told.firstFrame(market), told.world.nowMs)
    }
  }
  for (let nowMs = WORLD_START_MS; counts.trades < trades; nowMs += 1_000) {
    told.world.advance(nowMs)
    follow()
  }
  return counts
}

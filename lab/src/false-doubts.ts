import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { Market } from '@bookreel/service/domain/market'
import { CATEGORY_PLANS } from '@bookreel/service/domain/plan'
import { decodeFrame } from '@bookreel/service/venues/polymarket/decode'
import { GammaEventSchema, GammaMarketSchema } from '@bookreel/service/venues/polymarket/gamma'
import { readMarket } from '@bookreel/service/venues/polymarket/listed-market'
import { ProvedBook } from '@bookreel/service/venues/polymarket/proved-book'
import { asEncodedText, gammaEvent, gammaMarket } from '@bookreel/simulator/polymarket/gamma-objects'
import { OfflineWorld, WORLD_START_MS } from '@bookreel/simulator/polymarket/offline-world'
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import type { World, WorldOptions } from '@bookreel/simulator/world/world'

export interface FalseDoubts {
  trades: number
  frames: number
  batches: number
  ticks: number
  markets: number
  worldSeconds: number
  doubts: string[]
  /** Unknown content in frames. */
  unknown: string[]
  /** Batches after which the book was not verified, although all frames had arrived. */
  unproved: number
}

/** Follows a world without faults for a number of trades and counts the doubted books. */
export async function countFalseDoubts(
  trades: number,
  { size, seed }: Pick<WorldOptions, 'size' | 'seed'>,
  onSecond: (counts: FalseDoubts) => void,
): Promise<FalseDoubts> {
  const counts: FalseDoubts = {
    trades: 0,
    frames: 0,
    batches: 0,
    ticks: 0,
    markets: 0,
    worldSeconds: 0,
    doubts: [],
    unknown: [],
    unproved: 0,
  }
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
  const offline = new OfflineWorld({ size, seed }, ({ kind, market, atMs, frames }) => {
    const book = books.get(market.conditionId)
    if (book === undefined) return
    for (const frame of frames) take(book, frame, atMs)
    if (kind === 'tick') counts.ticks++
    if (kind === 'batch') {
      counts.batches++
      if (book.proved?.eventAtMs !== atMs) counts.unproved++
    }
    // Settle often but not at every event, as the recorder does at its ticks.
    if (atMs % 7 === 0) book.settle(atMs)
    counts.doubts.push(...book.takeDoubts().map(({ cause, detail }) => `${cause}: ${detail}`))
    if (kind === 'resolved') books.delete(market.conditionId)
  })
  const follow = (): void => {
    for (const market of offline.world.markets.values()) {
      if (books.has(market.conditionId) || market.phase !== 'trading') continue
      const listed = listing(market, offline.world)
      if (listed === undefined) continue
      const book = new ProvedBook(listed)
      books.set(market.conditionId, book)
      counts.markets++
      take(book, offline.firstFrame(market), offline.world.nowMs)
    }
  }
  for (let nowMs = WORLD_START_MS; counts.trades < trades; nowMs += 1_000) {
    offline.world.advance(nowMs)
    follow()
    counts.worldSeconds++
    onSecond(counts)
    await letOthersRun()
  }
  return counts
}

/** The market as discovery returns it. */
function listing(market: WorldMarket, world: World): Market | undefined {
  const event = GammaEventSchema.parse(gammaEvent(market.event, world, asEncodedText))
  const listed = GammaMarketSchema.parse(gammaMarket(market, asEncodedText))
  for (const plan of CATEGORY_PLANS) {
    const found = readMarket(event, listed, plan)
    if (typeof found !== 'string') return found
  }
  return undefined
}

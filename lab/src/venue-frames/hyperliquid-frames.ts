import { COINS } from '@bookreel/service/domain/market'
import { PERP_INTERVAL_MS } from '@bookreel/service/domain/plan'
import { hyperliquid } from '@bookreel/service/venues/hyperliquid/venue'
import { bookData } from '@bookreel/simulator/hyperliquid/perp-data'
import { PerpMarket } from '@bookreel/simulator/hyperliquid/perp-market'
import { WORLD_START_MS } from '@bookreel/simulator/polymarket/offline-world'
import type { Random } from '@bookreel/simulator/world/random'
import { spotPrices } from '@bookreel/simulator/world/spot'
import { perpProblem } from './book-problem.ts'
import type { FrameRun } from './frame-run.ts'
import { mutateFrame } from './mutate-frame.ts'

const STEP_MS = 540
const COPIES = 12
const FAST_DEPTH = 5
const STREAMS = ['deep', 'quick'] as const

/** Feeds the books of all coins with whole books, best prices and many changed copies, and checks every sample. */
export function* hyperliquidFrames(seed: string, draw: Random, run: FrameRun): Generator<void> {
  const venue = hyperliquid({ infoUrl: '', socketUrl: '' })
  const perps = new PerpMarket(seed, spotPrices(seed))
  const books = new Map(COINS.map((coin) => [String(coin), venue.openBook(coin)]))
  let last = '{}'
  for (let nowMs = WORLD_START_MS; ; nowMs += STEP_MS) {
    for (const coin of COINS) {
      for (const text of framesOf(perps, coin, nowMs)) {
        for (let copy = 0; copy < COPIES; copy++) {
          const changed = mutateFrame(text, last, draw)
          const stream = draw.pick(STREAMS)
          run.frame('hyperliquid', changed, () => {
            const { events, problems } = venue.decode(changed, stream)
            for (const event of events) books.get(event.coin)?.take(event, nowMs)
            for (const { kind } of problems) run.count(kind)
          })
          yield
        }
        last = text
      }
    }
    const slot = Math.floor(nowMs / PERP_INTERVAL_MS)
    for (const book of books.values()) {
      const row = book.sample(slot, PERP_INTERVAL_MS, nowMs)
      if (row !== undefined) run.published(perpProblem(row))
    }
  }
}

function framesOf(perps: PerpMarket, coin: string, nowMs: number): string[] {
  const deep = bookData(perps, coin, nowMs)
  const quick = bookData(perps, coin, nowMs, FAST_DEPTH)
  const bbo = quick && { coin, time: quick.time, bbo: [quick.levels[0][0] ?? null, quick.levels[1][0] ?? null] }
  return [
    JSON.stringify({ channel: 'l2Book', data: deep }),
    JSON.stringify({ channel: 'l2Book', data: { ...quick, fast: true } }),
    JSON.stringify({ channel: 'bbo', data: bbo }),
  ]
}

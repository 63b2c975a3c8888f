import type { Market } from '../world/market.ts'
import { type Batch, type Happening, World, type WorldOptions } from '../world/world.ts'
import type { HashRule } from './book-text.ts'
import {
  bestBidAskText,
  bookText,
  firstBookText,
  hashesOf,
  marketResolvedText,
  priceChangeText,
  tickSizeText,
  tradeText,
} from './frames.ts'

/** One event of a simulated world, with the frames that a subscriber of both tokens receives. */
export interface PublishedEvent {
  kind: Happening['kind']
  market: Market
  atMs: number
  frames: string[]
  hasTrade: boolean
  habit?: Batch['habit']
}

export const WORLD_START_MS = Date.parse('2026-11-15T02:21:00Z')
const OUTCOMES = [0, 1] as const

/** Runs a world without sockets and clocks, as fast as possible. */
export class OfflineWorld {
  readonly world: World

  constructor(options: Partial<WorldOptions>, onEvent: (event: PublishedEvent) => void) {
    const size = { hot: 4, medium: 4, cold: 6 }
    this.world = new World({ seed: 'told', startMs: WORLD_START_MS, size, ...options }, (happening) =>
      onEvent({
        kind: happening.kind,
        market: happening.market,
        atMs: happening.atMs,
        frames: framesOf(happening),
        hasTrade: happening.kind === 'trade',
        ...('habit' in happening && { habit: happening.habit }),
      }),
    )
  }

  firstFrame(market: Market): string {
    return firstFrameOf(market)
  }
}

/** The first frame of a subscription to both tokens. */
export function firstFrameOf(market: Market, rule?: HashRule): string {
  return `[${OUTCOMES.map((outcome) => firstBookText(market, outcome, market.changedAtMs, rule)).join(',')}]\n`
}

/** The frames that a subscriber of both tokens receives. */
export function framesOf(happening: Happening, rule?: HashRule): string[] {
  const { market, atMs } = happening
  switch (happening.kind) {
    case 'batch': {
      const hashes = hashesOf(happening.hashedAs ?? market, atMs, rule)
      const bestPrices = happening.topMoved ? OUTCOMES.map((outcome) => bestBidAskText(market, outcome, atMs)) : []
      const changes = happening.changes.map((change) => priceChangeText(market, change, atMs, hashes))
      const books =
        happening.trade === undefined ? [] : OUTCOMES.map((outcome) => bookText(market, outcome, atMs, hashes[outcome]))
      return [...bestPrices, ...changes, ...books]
    }
    case 'trade':
      return [tradeText(market, happening.trade, atMs)]
    case 'tick':
      return OUTCOMES.map((outcome) => tickSizeText(market, outcome, happening.from, happening.to, atMs))
    case 'resolved':
      return happening.isLost ? [] : [marketResolvedText(market, atMs)]
    case 'created':
      return []
  }
}

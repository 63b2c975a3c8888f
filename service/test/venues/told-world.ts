import {
  bestBidAskText,
  bookText,
  firstBookText,
  hashesOf,
  marketResolvedText,
  priceChangeText,
  tickSizeText,
  tradeText,
} from '@bookreel/simulator/polymarket/frames'
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { type Happening, World, type WorldOptions } from '@bookreel/simulator/world/world'
import { type Ladders, mirrorOf } from '../../src/domain/book.ts'
import type { Market } from '../../src/domain/market.ts'

/** One thing that happened in a simulated world: what a subscriber of both tokens is told, and what was then true. */
export interface Told {
  kind: Happening['kind']
  market: WorldMarket
  atMs: number
  frames: string[]
  hasTrade: boolean
}

export const WORLD_START_MS = Date.parse('2026-11-15T02:21:00Z')
const OUTCOMES = [0, 1] as const

/** Lives through a world without sockets and clocks, as fast as the machine can. */
export class ToldWorld {
  readonly world: World

  constructor(options: Partial<WorldOptions>, take: (told: Told) => void) {
    const size = { hot: 4, medium: 4, cold: 6 }
    this.world = new World({ seed: 'told', startMs: WORLD_START_MS, size, ...options }, (happening) =>
      take({
        kind: happening.kind,
        market: happening.market,
        atMs: happening.atMs,
        frames: framesOf(happening),
        hasTrade: happening.kind === 'trade',
      }),
    )
  }

  /** What a subscription begins with. */
  firstFrame(market: WorldMarket): string {
    return `[${OUTCOMES.map((outcome) => firstBookText(market, outcome, market.changedAtMs)).join(',')}]\n`
  }
}

function framesOf(happening: Happening): string[] {
  const { market, atMs } = happening
  switch (happening.kind) {
    case 'batch': {
      const hashes = hashesOf(market, atMs)
      const touches = happening.topMoved ? OUTCOMES.map((outcome) => bestBidAskText(market, outcome, atMs)) : []
      const changes = happening.changes.map((change) => priceChangeText(market, change, atMs, hashes))
      const books =
        happening.trade === undefined ? [] : OUTCOMES.map((outcome) => bookText(market, outcome, atMs, hashes[outcome]))
      return [...touches, ...changes, ...books]
    }
    case 'trade':
      return [tradeText(market, happening.trade, atMs)]
    case 'tick':
      return OUTCOMES.map((outcome) => tickSizeText(market, outcome, happening.from, happening.to, atMs))
    case 'resolved':
      return [marketResolvedText(market, atMs)]
    case 'created':
      return []
  }
}

/** The first token's book as it really is, in our units, best price first. */
export function truthOf({ book }: WorldMarket): { up: Ladders; down: Ladders } {
  const inUnits = ({ price, size }: { price: number; size: number }) => ({ price, size: size * 10_000 })
  const up = { bids: book.bids.map(inUnits).toReversed(), asks: book.asks.map(inUnits) }
  return { up, down: mirrorOf(up) }
}

/** The market as discovery would give it. */
export function marketFacts(market: WorldMarket): Market {
  return {
    id: market.conditionId,
    venue: 'polymarket',
    tokenIds: market.tokenIds,
    outcomeNames: market.draft.outcomes,
    slug: market.draft.slug,
    question: market.draft.question,
    label: '',
    eventSlug: market.event.slug,
    eventTitle: market.event.title,
    negRisk: market.event.negRisk,
    minOrderSize: '5',
    version: market.version,
    endsAtMs: market.event.endMs,
    planId: 'test',
    captureIntervalMs: 250,
    category: 'crypto',
    subcategory: 'BTC',
    timeframe: '5m',
  }
}

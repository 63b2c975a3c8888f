import type { Behaviour } from '../world/behaviours.ts'
import type { Change } from '../world/book.ts'
import type { Market } from '../world/market.ts'
import { fixedNumber } from '../world/random.ts'
import type { Batch, Happening } from '../world/world.ts'
import type { HashRule, Outcome } from './book-text.ts'
import {
  bestBidAskText,
  bookText,
  hashesOf,
  marketResolvedText,
  priceChangeText,
  tickSizeText,
  tradeText,
} from './frames.ts'

/** Which subscribers of a market get a frame. */
export interface Audience {
  /** Subscribers of this token; undefined: of either token. */
  outcome: Outcome | undefined
  /** Only subscribers that asked for custom events. */
  isCustom: boolean
}

export interface FeedFrame extends Audience {
  /** Called at once or never: it reads the state of the market. */
  write: () => string
}

/** What happens to a market that exists. */
export type MarketHappening = Exclude<Happening, { kind: 'created' }>

const OUTCOMES = [0, 1] as const
const SHARE_OF_BEST_PRICES_NOT_SENT = 0.02
const SHARE_OF_LATER_BEST_PRICES = 0.01

export interface FrameOptions {
  stampMs: number
  behaviours: ReadonlySet<Behaviour>
  rule?: HashRule
  /** The changes of the batch that are sent; default: all. */
  changes?: readonly Change[]
}

/** The frames of an event, in the order in which they are sent. */
export function feedFrames(happening: MarketHappening, options: FrameOptions): FeedFrame[] {
  const { market } = happening
  const { stampMs, behaviours } = options
  switch (happening.kind) {
    case 'batch':
      return batchFrames(happening, options)
    case 'trade': {
      const { trade } = happening
      return [{ outcome: trade.outcome, isCustom: false, write: () => tradeText(market, trade, stampMs) }]
    }
    case 'tick': {
      const { from, to } = happening
      return (behaviours.has('ticks-twice') ? [...OUTCOMES, ...OUTCOMES] : OUTCOMES).map((outcome) => ({
        outcome,
        isCustom: false,
        write: () => tickSizeText(market, outcome, from, to, stampMs),
      }))
    }
    case 'resolved':
      if (happening.isLost) return []
      return [{ outcome: undefined, isCustom: true, write: () => marketResolvedText(market, stampMs) }]
  }
}

function batchFrames(
  batch: Batch,
  { stampMs, behaviours, rule = 0, changes = batch.changes }: FrameOptions,
): FeedFrame[] {
  const { market, topMoved, trade, hashedAs = market } = batch
  const hashes = hashesOf(hashedAs, stampMs, rule)
  const isTopSent = topMoved && fixedNumber(market.order, stampMs) >= SHARE_OF_BEST_PRICES_NOT_SENT
  return [
    ...(isTopSent ? bestPrices(market, stampMs, behaviours) : []),
    ...changes.map((change) => ({
      outcome: undefined,
      isCustom: false,
      write: () => priceChangeText(market, change, stampMs, hashes),
    })),
    ...(trade === undefined ? [] : OUTCOMES).map((outcome) => ({
      outcome,
      isCustom: false,
      write: () => bookText(market, outcome, stampMs, hashes[outcome]),
    })),
  ]
}

function bestPrices(market: Market, stampMs: number, behaviours: ReadonlySet<Behaviour>): FeedFrame[] {
  const isLater = behaviours.has('mixed-stamps') && fixedNumber(market.order + 1, stampMs) < SHARE_OF_LATER_BEST_PRICES
  const shownMs = isLater ? stampMs + 1 : stampMs
  return OUTCOMES.map((outcome) => ({
    outcome,
    isCustom: true,
    write: () => bestBidAskText(market, outcome, shownMs),
  }))
}

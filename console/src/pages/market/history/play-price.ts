import type { Bar, Estimate } from '@bookreel/sdk'
import { creditsText, lengthText } from '../../../words/moment-texts.ts'

const TOKENS = 2
const ROWS_PER_CREDIT = 1_000

export interface PlayPrice {
  readonly credits: number
  /** Counted from bars, until the service has told the price. */
  readonly isNear: boolean
}

export interface PriceFacts {
  /** The first time that has to be fetched; undefined when everything is known. */
  readonly unknownFromMs: number | undefined
  readonly toMs: number
  /** What the open replay may still cost, if it can go on. */
  readonly creditsLeft: number | undefined
  readonly estimate: Estimate | undefined
  /** Undefined until they are read. */
  readonly bars: readonly Bar[] | undefined
  readonly barMs: number
}

/** What playing to the end of the range costs; undefined while nothing tells it. */
export function playPrice(facts: PriceFacts): PlayPrice | undefined {
  const { unknownFromMs, toMs, creditsLeft, estimate, bars, barMs } = facts
  if (unknownFromMs === undefined) return { credits: 0, isNear: false }
  const near = bars && Math.ceil(rowsBetween(bars, barMs, unknownFromMs, toMs) / ROWS_PER_CREDIT)
  const credits = estimate?.credits ?? near
  if (credits === undefined) return undefined
  // Rows that the open replay has sent are not charged again.
  return { credits: Math.min(credits, creditsLeft ?? Infinity), isNear: estimate === undefined }
}

export function playText(lengthMs: number, price: PlayPrice | undefined): string {
  const cost = price === undefined ? 'price …' : `${price.isNear ? '≈ ' : ''}${creditsText(price.credits)}`
  return `Play ${lengthText(lengthMs)} · ${cost}`
}

/** A bar that is cut counts in part. */
function rowsBetween(bars: readonly Bar[], barMs: number, fromMs: number, toMs: number): number {
  return bars.reduce((sum, { start, snapshot_count: count }) => {
    const startMs = Date.parse(start)
    const inside = Math.min(startMs + barMs, toMs) - Math.max(startMs, fromMs)
    return inside <= 0 ? sum : sum + (TOKENS * count * inside) / barMs
  }, 0)
}

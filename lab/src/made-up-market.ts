import { createHash } from 'node:crypto'
import type { Market } from '@bookreel/service/domain/market'

export const MADE_UP_INTERVAL_MS = 250
const MONTH_MS = 2_592_000_000

/** A market that no venue has, for rows that the lab makes itself. */
export function madeUpMarket(purpose: string, number: number, nowMs: number): Market {
  const slug = `${purpose}-${number}`
  return {
    id: `0x${createHash('sha256').update(slug).digest('hex')}`,
    venue: 'polymarket',
    category: 'crypto',
    subcategory: 'BTC',
    timeframe: 'hit-price',
    tokenIds: [`1${number}`, `2${number}`],
    outcomeNames: ['Yes', 'No'],
    slug,
    question: `${purpose} ${number}?`,
    label: `${purpose} ${number}`,
    eventSlug: slug,
    eventTitle: `${purpose} ${number}`,
    venueKey: '',
    priceGrid: [],
    facts: { negRisk: false, minOrderSize: '5', version: 'v1' },
    endsAtMs: nowMs + MONTH_MS,
    planId: 'crypto',
    captureIntervalMs: MADE_UP_INTERVAL_MS,
  }
}

import { createHash } from 'node:crypto'
import type { Market } from '@bookreel/service/domain/market'

export const NOW_MS = Date.UTC(2026, 10, 14, 12, 0)

export function marketOf(name: string, changed: Partial<Market> = {}): Market {
  const id = `0x${createHash('sha256').update(name).digest('hex')}`
  return {
    id,
    venue: 'polymarket',
    category: 'crypto',
    subcategory: 'BTC',
    timeframe: '5m',
    tokenIds: [`1${id}`, `2${id}`],
    outcomeNames: ['Up', 'Down'],
    slug: `slug-${name}`,
    question: `What of ${name}?`,
    label: name,
    eventSlug: `event-${name}`,
    eventTitle: `Event ${name}`,
    venueKey: '',
    priceGrid: [],
    facts: { negRisk: false, minOrderSize: '5', version: 'v1' },
    startsAtMs: NOW_MS - 60_000,
    endsAtMs: NOW_MS + 240_000,
    planId: 'crypto',
    captureIntervalMs: 250,
    ...changed,
  }
}

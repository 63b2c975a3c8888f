import { CATEGORIES, type Category } from '../../domain/market.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import type { MarketRecord } from '../../stores/markets/recorded-markets.ts'
import type { RecordedSpan } from '../../stores/markets/recorded-spans.ts'
import { isUpDown } from './market-flags.ts'

/** A market as endpoints and streams see it, whichever store describes it. */
export interface FoundMarket extends Omit<StoredMarket, 'category'> {
  /** Empty when only rows of the market are known. */
  readonly category: Category | ''
  /** Set for a market without a metadata row. */
  readonly recorded?: RecordedOnly
}

export interface RecordedOnly {
  readonly describedBy: 'recorded_facts' | 'capture_statistics'
  /** Undefined when no row of the market is stored. */
  readonly span: RecordedSpan | undefined
}

/**
 * A market without a metadata row, from its facts, and without those from the statistics of its rows. It is never
 * active, because only the catalogue knows whether a market has ended.
 */
export function marketOfRecord({ marketId, span, facts }: MarketRecord): FoundMarket {
  const firstSeenMs = span && slotTimeMs(span.firstSlot, span.intervalMs)
  const lastSeenMs = span && slotTimeMs(span.lastSlot, span.intervalMs)
  const { category = '', timeframe = '', subcategory = '', question = '', startsAtMs, endsAtMs } = facts ?? {}
  const isWindow = isUpDown({ category, timeframe })
  return {
    id: marketId,
    venue: facts?.venue ?? '',
    category: CATEGORIES.find((each) => each === category) ?? '',
    subcategory,
    timeframe,
    tokenIds: facts?.tokenIds ?? ['', ''],
    outcomeNames: isWindow ? ['Up', 'Down'] : ['Yes', 'No'],
    slug: facts?.slug ?? '',
    question,
    label: question,
    eventSlug: '',
    eventTitle: '',
    venueKey: '',
    priceGrid: [],
    facts: {},
    ...(startsAtMs !== undefined && { startsAtMs }),
    endsAtMs: endsAtMs ?? lastSeenMs ?? 0,
    planId: '',
    captureIntervalMs: span?.intervalMs ?? facts?.intervalMs ?? 0,
    firstSeenAtMs: firstSeenMs ?? startsAtMs ?? endsAtMs ?? 0,
    lastSeenAtMs: lastSeenMs ?? endsAtMs ?? 0,
    status: 'expired',
    recorded: { describedBy: facts === undefined ? 'capture_statistics' : 'recorded_facts', span },
  }
}

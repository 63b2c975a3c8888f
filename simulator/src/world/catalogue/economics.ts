import { newYorkTime } from '../new-york.ts'
import { buckets } from './buckets.ts'
import { DAY_MS, type EventDraft, type Occasion } from './draft.ts'

const MEETING_EVERY_MS = 45 * DAY_MS
const DECISIONS = ['50+ bps decrease', '25 bps decrease', 'No change', '25+ bps increase']

/** The next meeting of the central bank; the digits at the end of its slug are arbitrary, as at the venue. */
export function economicsEvents({ firstDayMs, round, draw }: Occasion): EventDraft[] {
  const endMs = firstDayMs + 24 * DAY_MS + round * MEETING_EVERY_MS + 19 * 3_600_000
  const { month } = newYorkTime(endMs)
  const slug = `fed-decision-in-${month.toLowerCase()}-${draw.whole(100, 999)}${draw.whole(100_000, 999_999)}`
  return [
    {
      slug,
      title: `Fed decision in ${month}?`,
      description: `About the change of the upper bound of the target federal funds rate at the FOMC meeting of ${month}, as its statement gives it.`,
      resolutionSource: 'https://www.federalreserve.gov/monetarypolicy/openmarket.htm',
      series: { id: '10089', slug: 'fomc', title: 'FOMC', recurrence: 'monthly' },
      tags: [
        { id: '100328', label: 'Economy', slug: 'economy' },
        { id: '100196', label: 'Fed Rates', slug: 'fed-rates' },
        { id: '101191', label: 'FOMC', slug: 'fomc' },
      ],
      negRisk: true,
      endMs,
      markets: buckets(slug, DECISIONS, (label) => `Fed decision in ${month}: ${label}?`, draw),
    },
  ]
}

import { dateText, newYorkTime } from '../new-york.ts'
import { buckets } from './buckets.ts'
import { DAY_MS, type EventDraft, type Occasion, slugify } from './draft.ts'

/** Number of posts of a well-known person in a week. */
export function socialEvents({ firstDayMs, round, draw }: Occasion): EventDraft[] {
  const startMs = firstDayMs + round * 7 * DAY_MS + 17 * 3_600_000
  const endMs = startMs + 7 * DAY_MS
  const from = newYorkTime(startMs)
  const to = newYorkTime(endMs)
  const slug = `elon-musk-of-tweets-${slugify(`${dateText(from)} ${dateText(to)}`)}-${to.year}`
  const lowest = 180 + draw.whole(0, 6) * 20
  const labels = [
    `<${lowest}`,
    ...Array.from({ length: 6 }, (_, index) => `${lowest + index * 20}-${lowest + index * 20 + 19}`),
    `${lowest + 120}+`,
  ]
  return [
    {
      slug,
      title: `Elon Musk # tweets ${dateText(from)} - ${dateText(to)}, ${to.year}?`,
      description: `About the number of posts, quotes and reposts of @elonmusk from noon New York time of ${dateText(from)} to noon of ${dateText(to)}.`,
      resolutionSource: 'https://xtracker.polymarket.com/',
      series: { id: '10000', slug: 'elon-tweets', title: 'Elon Tweets', recurrence: 'weekly' },
      tags: [
        { id: '972', label: 'Tweets Markets', slug: 'tweets-markets' },
        { id: '107', label: 'Elon Musk', slug: 'elon-musk' },
      ],
      negRisk: true,
      startMs,
      endMs,
      markets: buckets(
        slug,
        labels,
        (label) => `Will Elon Musk post ${label} tweets from ${dateText(from)} to ${dateText(to)}?`,
        draw,
      ),
    },
  ]
}

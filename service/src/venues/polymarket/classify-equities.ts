import type { Classification } from '../../domain/market.ts'
import type { EventFacts } from './gamma.ts'

const TOPIC_TAGS = /^(?:stocks|equities|indices|earnings|ipos?|private-companies|commodities|forex|big-tech|finance)$/
const MONTH = '(?:january|february|march|april|may|june|july|august|september|october|november|december)'

/** The first match gives the topic. */
const TOPICS: readonly [topic: string, tags: RegExp, slug: RegExp][] = [
  ['SPX', /^(?:spx|sp500)$/, /(?:^|-)(?:spx|s-p-500|sp500|es-futures)(?:-|$)/],
  ['IPO', /^ipos?$/, /(?:^|-)(?:ipo|ipos|go-public|goes-public)(?:-|$)/],
  [
    'Private',
    /^private-companies$/,
    /(?:^|-)(?:spacex|openai|anthropic|stripe|databricks|xai)-valu(?:ation|ed)(?:-|$)/,
  ],
  ['Commodity', /^commodities$/, /(?:^|-)(?:gold|silver|crude-oil|wti|brent|natural-gas|copper|platinum)(?:-|$)/],
  [
    'Forex',
    /^(?:forex|fx|currencies)$/,
    /(?:^|-)(?:eur|usd|gbp|jpy|chf|aud|cad|cny)-(?:eur|usd|gbp|jpy|chf|aud|cad|cny)(?:-|$)/,
  ],
  [
    'StockPrice',
    /^(?:stocks|equities|indices|earnings|big-tech)$/,
    /(?:^|-)(?:aapl|nvda|tsla|amzn|meta|msft|googl|ndx|nvidia|tesla|apple|amazon|microsoft|alphabet|google)(?:-|$)/,
  ],
]

/** The first match gives the timeframe, or the kind of question that stands in its place. */
const SPANS: readonly [span: string, slug: RegExp][] = [
  ['earnings', /(?:^|-)earnings(?:-|$)/],
  ['leaderboard', /(?:^|-)(?:\d-)?(?:largest|biggest|most-valuable)-compan(?:y|ies)(?:-|$)/],
  ['comparison', /(?:^|-)(?:better-than|outperforms?|larger-than|bigger-than|worth-more-than|vs)(?:-|$)/],
  ['valuation', /(?:^|-)(?:valuation|valued|market-cap)(?:-|$)/],
  ['quarterly', /(?:^|-)(?:q[1-4]|quarter(?:ly)?)(?:-|$)/],
  ['daily', new RegExp(`(?:^|-)on-${MONTH}-\\d{1,2}(?:-|$)`)],
  ['monthly', new RegExp(`(?:^|-)(?:in|by|end-of|by-end-of|before)-${MONTH}(?:-|$)`)],
]

const YEAR = /(?:^|-)20\d\d(?:-|$)/

/** Classifies markets about companies, indices, commodities and currencies by the venue's finance tags. */
export function classifyEquities(event: EventFacts, marketSlug: string): Classification | undefined {
  if (!event.tagSlugs.some((tag) => TOPIC_TAGS.test(tag))) return undefined
  const topic = TOPICS.find(
    ([, tags, slug]) => event.tagSlugs.some((tag) => tags.test(tag)) || slug.test(event.slug),
  )?.[0]
  return topic === undefined
    ? undefined
    : { category: 'equities', subcategory: topic, timeframe: spanOf(event, marketSlug, topic) }
}

function spanOf({ slug, seriesSlugs }: EventFacts, marketSlug: string, topic: string): string {
  for (const text of [slug, marketSlug]) {
    const span = SPANS.find(([, form]) => form.test(text))?.[0]
    if (span !== undefined) return span
  }
  if (seriesSlugs.some((series) => /(?:^|-)daily(?:-|$)/.test(series))) return 'daily'
  // "Before 2027" is no timeframe for an IPO, which happens at most once.
  return YEAR.test(slug) && topic !== 'IPO' ? 'annual' : 'event'
}

import { z } from 'zod'

/** Gamma writes lists as text that holds a JSON array, in some places as the array itself. */
const List = z.union([z.array(z.string()), z.string().transform(readList)]).nullish()

function readList(text: string, context: z.RefinementCtx): string[] {
  try {
    const parsed = z.array(z.string()).safeParse(JSON.parse(text))
    if (parsed.success) return parsed.data
  } catch {
    // Reported below, as for any other text.
  }
  context.addIssue({ code: 'custom', message: 'not a list' })
  return z.NEVER
}

/** ISO 8601, or with a space and a two-digit offset: `2026-04-05 15:10:00+00`. */
const Moment = z
  .string()
  .transform((text) => Date.parse(text.replace(' ', 'T').replace(/\+00$/, 'Z')))
  .refine((atMs) => Number.isFinite(atMs))
  .nullish()

const Flag = z.boolean().nullish()
const Text = z.string().nullish()

export const GammaMarketSchema = z.object({
  id: z.string(),
  conditionId: z.string().regex(/^0x(?:[0-9a-f]{62}|[0-9a-f]{64})$/),
  slug: z.string().min(1),
  question: z.string(),
  outcomes: List,
  clobTokenIds: List,
  positionIds: List,
  version: Text,
  createdAt: Moment,
  endDate: Moment,
  eventStartTime: Moment,
  gameStartTime: Moment,
  closed: Flag,
  enableOrderBook: Flag,
  negRisk: Flag,
  negRiskMarketID: Text,
  orderMinSize: z.number().positive().nullish(),
  orderPriceMinTickSize: z.number().positive().nullish(),
  groupItemTitle: Text,
})
export type GammaMarket = z.infer<typeof GammaMarketSchema>

export const GammaEventSchema = z.object({
  id: z.string(),
  slug: z.string().min(1),
  title: z.string(),
  endDate: Moment,
  startTime: Moment,
  negRisk: Flag,
  negRiskMarketID: Text,
  seriesSlug: Text,
  series: z.array(z.object({ slug: z.string(), recurrence: Text })).nullish(),
  tags: z.array(z.object({ id: z.string(), slug: z.string() })).nullish(),
  /** Each is parsed separately, so that one invalid market does not affect the others. */
  markets: z.array(z.unknown()),
})
export type GammaEvent = z.infer<typeof GammaEventSchema>

/** The facts by which `classify` chooses a category. */
export interface EventFacts {
  slug: string
  title: string
  seriesSlugs: readonly string[]
  tagSlugs: readonly string[]
}

export function factsOf(event: GammaEvent): EventFacts {
  const series = event.series?.map(({ slug }) => slug) ?? []
  return {
    slug: event.slug,
    title: event.title,
    seriesSlugs: event.seriesSlug ? [event.seriesSlug, ...series] : series,
    tagSlugs: event.tags?.map(({ slug }) => slug.toLowerCase()) ?? [],
  }
}

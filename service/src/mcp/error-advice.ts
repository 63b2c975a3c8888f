import type { ApiError, ErrorCode } from '../domain/api-error.ts'

/** Sentences that name a tool; a key that does not have the tool is not told about it. */
type Advice = readonly (readonly [tool: string, sentence: string])[]

const FIND_MARKET: Advice = [
  ['list_live_markets', 'Find open markets with list_live_markets.'],
  ['list_market_history', 'Find recorded markets with list_market_history.'],
]
const SEE_LIMITS: Advice = [['get_limits', 'get_limits returns what this key includes.']]
const WHY_NO_BOOK: Advice = [
  ['list_gaps', 'list_gaps returns what was recorded and the cause of each gap.'],
  ['get_asof', 'get_asof returns the book at another time.'],
]

export const ADVICE: Partial<Record<ErrorCode, Advice>> = {
  market_not_found: FIND_MARKET,
  slug_not_found: FIND_MARKET,
  market_closed: [
    ['get_market', 'get_market returns its result.'],
    ['list_bars', 'list_bars returns its prices.'],
    ['get_asof', 'get_asof returns its book at a time before the end.'],
  ],
  no_recent_data: WHY_NO_BOOK,
  no_data_at_time: WHY_NO_BOOK,
  tier_not_allowed: SEE_LIMITS,
  scope_not_allowed: SEE_LIMITS,
  out_of_credits: [
    ['get_limits', 'get_limits returns the remaining credits.'],
    ['list_bars', 'list_bars costs no credits.'],
  ],
  rate_limited: [['get_limits', 'Wait for retry_after_seconds; get_limits returns the rate limit.']],
}

/** Texts of a venue that a caller repeats have other characters, or are longer. */
const PLAIN_NAME = /^[\w.-]{1,80}$/

/** The message of an error for agents: what is wrong, and the tool that helps. */
export function adviseOn({ code, message, details }: ApiError, isListed: (tool: string) => boolean): string {
  const isAboutMarket = code === 'invalid_request' && isMarketProblem(details)
  const advice = isAboutMarket ? FIND_MARKET : (ADVICE[code] ?? [])
  const sentences = advice.filter(([tool]) => isListed(tool)).map(([, sentence]) => sentence)
  const problem = PROBLEMS[code]?.(details ?? {}) ?? message
  return [/[.!?]$/.test(problem) ? problem : `${problem}.`, ...sentences].join(' ')
}

type Details = Readonly<Record<string, unknown>>

interface NotFoundDetails {
  readonly requested_slug?: string
  readonly market_id?: string
  readonly candidates?: readonly unknown[]
}

/** Messages that REST callers need in another form. */
const PROBLEMS: Partial<Record<ErrorCode, (details: Details) => string>> = {
  market_not_found: noSuchMarket,
  slug_not_found: noSuchMarket,
  market_closed: () => 'This market has ended and has no live book.',
}

function noSuchMarket(details: Details): string {
  const { requested_slug, market_id, candidates = [] } = details as NotFoundDetails
  const name = requested_slug ?? market_id ?? ''
  const similar = candidates.length > 0 ? ' details.candidates has similar ones.' : ''
  return `No market has ${PLAIN_NAME.test(name) ? `the id or slug ${name}` : 'this id or slug'}.${similar}`
}

function isMarketProblem(details: Details | undefined): boolean {
  const { problems, unknown_arguments: unknown } = details ?? {}
  const names = [
    ...(Array.isArray(problems) ? problems.map(({ parameter }) => String(parameter)) : []),
    ...(Array.isArray(unknown) ? unknown.map(String) : []),
  ]
  return names.some((name) => /^(markets?|id|slug)$/.test(name))
}

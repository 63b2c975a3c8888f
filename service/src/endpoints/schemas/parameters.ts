import { z } from 'zod'
import { CATEGORIES, COINS, type CoinSymbol, TIMEFRAMES } from '../../domain/market.ts'
import { shown } from '../../domain/value-problems.ts'
import { BINARY_VENUES, DEFAULT_VENUE } from '../../venue-registry.ts'
import { instantOf } from './instant.ts'
import { EARLIEST, END, isInBounds, TIME_BOUNDS, timeIn } from './moment.ts'

const FORMS = 'text with its zone such as 2026-11-15T12:00:00Z, epoch seconds or epoch milliseconds'

export const Moment = z
  .string()
  .transform((text, context) => {
    const ms = timeIn(text)
    if (ms !== undefined && isInBounds(ms)) return ms
    const problem = ms === undefined ? `a time: ${FORMS}` : `a time ${TIME_BOUNDS}`
    context.addIssue({ code: 'custom', message: `must be ${problem}, got ${shown(text)}` })
    return z.NEVER
  })
  .meta({
    examples: ['2026-11-15T12:00:00Z'],
    format: 'date-time',
    // JSON Schema has no bounds for times.
    'x-minimum': EARLIEST,
    'x-exclusiveMaximum': END,
  })

/** `0x` and 64 hex digits; anything else is `market_not_found`. */
export const ConditionId = z
  .string()
  .max(128)
  .describe('condition id of the market: 0x and 64 hex digits')
  .meta({ examples: [`0x${'ab'.repeat(32)}`] })

export function isConditionId(text: string): boolean {
  return /^0x[0-9a-f]{64}$/.test(text)
}

export const MarketParams = z.object({ id: ConditionId })

/** `beyond` says what to do instead of a larger number. */
export function wholeNumber(from: number, to: number, beyond = '') {
  return z
    .string()
    .transform((text, context) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
      if (value >= from && value <= to) return value
      const isWhole = /^-?\d{1,30}$/.test(text)
      const [kind, got] = isWhole ? ['', text] : ['a whole number ', shown(text)]
      context.addIssue({
        code: 'custom',
        message: `must be ${kind}between ${from} and ${to}, got ${got}${isWhole ? beyond : ''}`,
      })
      return z.NEVER
    })
    .meta({ override: { type: 'integer', minimum: from, maximum: to } })
}

export const Flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ override: { type: 'boolean' } })

export const Side = z.enum(['UP', 'DOWN']).describe('only this token')
export const Order = z.enum(['asc', 'desc'])

const ALL_VENUES = 'all'
export const VENUE_CHOICES = [...BINARY_VENUES.map(({ id }) => id), ALL_VENUES] as const
const Venue = z.enum(VENUE_CHOICES).default(DEFAULT_VENUE)
export const VenueFilter = Venue.describe('only markets of this venue; `all` for every venue')
export const VenueOfSlug = Venue.describe(
  'only slugs of this venue; `all` for every venue. A condition id is found without it, whatever the venue',
)

/** The venue that a parameter or selector names; undefined for every venue. */
export function oneVenue(choice: string = DEFAULT_VENUE): string | undefined {
  return choice === ALL_VENUES ? undefined : choice
}

/** The interface allows `exchange`, although no market has this category. */
export const CategoryFilter = z.enum([...CATEGORIES, 'exchange']).describe('only markets of this category')
export const SubcategoryFilter = z
  .string()
  .min(1)
  .max(64)
  .describe('coin, league, topic or city, in the case in which it is listed')

/** Coins in any case; `all` for no filter. */
export const CoinFilter = z
  .string()
  .transform((text, context): CoinSymbol | undefined => {
    if (text.toLowerCase() === 'all') return undefined
    const coin = COINS.find((each) => each === text.toUpperCase())
    if (coin !== undefined) return coin
    context.addIssue({ code: 'custom', message: `must be one of ${COINS.join(', ')}, all, got ${shown(text)}` })
    return z.NEVER
  })
  .describe(`only markets of this coin, in any case: ${COINS.join(', ')}; \`all\` for every coin`)
  .meta({ override: { type: 'string', examples: ['BTC'] } })

const ALL_TIMEFRAMES = [...new Set(Object.values(TIMEFRAMES).flat())]

/** A closed list, but no enum in the documents: a new category adds timeframes. */
export const TimeframeFilter = z
  .string()
  .transform((text, context) => {
    if (text === 'all') return undefined
    if (ALL_TIMEFRAMES.includes(text)) return text
    context.addIssue({
      code: 'custom',
      message: `must be one of ${ALL_TIMEFRAMES.join(', ')}, all, got ${shown(text)}`,
    })
    return z.NEVER
  })
  .describe(`series within a category: ${ALL_TIMEFRAMES.join(', ')}; \`all\` for every one`)
  .meta({ override: { type: 'string', examples: ['5m'] } })

/** A check for queries that have both times. */
export function fromBeforeTo({
  value,
  issues,
}: z.core.ParsePayload<{ from?: number | undefined; to?: number | undefined }>): void {
  const { from, to } = value
  if (from === undefined || to === undefined || from < to) return
  const message = `must be before to, got ${instantOf(from)} and ${instantOf(to)}`
  issues.push({ code: 'custom', path: ['from'], input: from, message })
}

import { z } from 'zod'
import { BOOK_PRICE } from '../../domain/prices.ts'
import { endpoint, type Table } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Flag, Moment, oneVenue, VenueOfSlug } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import { TokenSnapshot } from '../schemas/snapshot.ts'
import { MarketAsOf, marketAsOf, unknownAsOf } from '../shared/market-as-of.ts'
import { matchSlug } from '../shared/match-slug.ts'
import { PerpAsOf } from '../shared/perp-as-of.ts'
import { RestrictedFrom } from '../shared/perp-page.ts'

const MAX_MARKETS = 20

const Markets = z
  .string()
  .max(8_000)
  .transform((text) => [...new Set(text.split(',').map((each) => each.trim()))].filter((each) => each !== ''))
  .pipe(z.array(z.string().max(300)).min(1).max(MAX_MARKETS))
  .describe(
    `condition ids or slugs, as for /v1/markets/by-slug, separated by commas, at most ${MAX_MARKETS}; btc-updown-5m is the window at that time`,
  )
  .meta({ override: { type: 'string' } })

const MARKET_COLUMNS = Object.keys(MarketAsOf.shape).filter(
  (name) => !['up', 'down', 'gap', 'perp', 'venue'].includes(name),
)
/** The spot price of the market has its age at the requested time, that of the token its age at the sample. */
const TOKEN_COLUMNS = Object.keys(TokenSnapshot.omit({ proof: true }).shape).filter(
  (name) => !MARKET_COLUMNS.includes(name) && name !== 'side',
)
const FIRST_PERP_COLUMNS = ['perp_best_bid', 'perp_best_ask', 'perp_age_ms']
const PERP_COLUMNS = Object.keys(PerpAsOf.omit({ proof: true, venue: true }).shape).map((name) => `perp_${name}`)

/** Two rows for each market, UP and DOWN, also without a book. */
const table: Table<{ timestamp: string; markets: MarketAsOf[] }> = {
  columns: [
    ...new Set([...MARKET_COLUMNS, 'side', ...TOKEN_COLUMNS, ...FIRST_PERP_COLUMNS, ...PERP_COLUMNS]),
    'sample_spot_crypto_age_ms',
    'gap',
    'proof',
    'perp_proof',
    'venue',
    'perp_venue',
  ],
  rows: ({ markets }) =>
    markets.flatMap(({ up, down, perp, ...market }) => {
      const perpCells = Object.fromEntries(Object.entries(perp ?? {}).map(([name, value]) => [`perp_${name}`, value]))
      const sample_spot_crypto_age_ms = up?.spot_crypto_age_ms
      return [
        { ...up, ...market, side: 'UP', ...perpCells, sample_spot_crypto_age_ms },
        { ...down, ...market, side: 'DOWN', ...perpCells, sample_spot_crypto_age_ms },
      ]
    }),
  inRows: ['markets'],
}

export const getAsof = endpoint({
  method: 'GET',
  path: '/v1/asof',
  name: 'get_asof',
  group: 'History',
  summary: 'Get what was known of several markets at one time',
  description:
    'Both books, the spot price and the book of the perpetual future, each with its age at that time. Only samples taken at or before the time are used. For a market without a trusted book, `status` says why. ' +
    'Books of perpetual futures of the last 60 seconds are for the tiers that have the live exchange book; for the others `perp` is null then, and `restricted_from` tells since when.',
  access: { by: 'key', scope: 'history' },
  priceRule: `${BOOK_PRICE}; free with \`includebook=false\``,
  isFree: ({ includebook }) => !includebook,
  query: z.object({
    timestamp: Moment.describe('the time; not in the future'),
    markets: Markets,
    includebook: Flag.default(true).describe('false leaves bids and asks out'),
    venue: VenueOfSlug,
  }),
  reply: z.object({
    timestamp: Instant,
    markets: z.array(MarketAsOf).describe('in the order of the request'),
    restricted_from: RestrictedFrom,
  }),
  errors: [],
  table,

  async handle({ query, stores, perps, paidRead, require, callerContext, ...request }) {
    const nowMs = paidRead?.atMs ?? request.nowMs
    const { timestamp: atMs, includebook: includeBook } = query
    if (atMs > nowMs) throw invalidParameter('timestamp', `must not be in the future, got ${instantOf(atMs)}`)
    require({ historyAgeMs: nowMs - atMs })
    const matches = await Promise.all(
      query.markets.map(async (requested) => ({
        requested,
        match: await matchSlug(stores, requested, nowMs, { venue: oneVenue(query.venue), seriesAtMs: atMs }),
      })),
    )
    for (const { match } of matches) if (match.market !== undefined) require({ category: match.market.category })
    if (includeBook) await callerContext?.requireBooks(1)
    const options = { atMs, nowMs, includeBook }
    const markets = await Promise.all(
      matches.map(async ({ requested, match }) =>
        match.market === undefined ? unknownAsOf(requested) : marketAsOf({ stores, perps }, requested, match, options),
      ),
    )
    const restriction = atMs < perps.untilMs ? {} : { restricted_from: instantOf(perps.untilMs) }
    return { body: { timestamp: instantOf(atMs), markets, ...restriction }, exactBooks: booksIn }
  },
})

function booksIn({ markets }: { readonly markets: readonly MarketAsOf[] }): number {
  return markets.flatMap(({ up, down, perp }) => [up, down, perp]).filter((book) => book?.bids !== undefined).length
}

import { z } from 'zod'
import { CATEGORIES } from '../../domain/market.ts'
import { VENUE_CHOICES } from '../../endpoints/schemas/parameters.ts'
import { DEFAULT_VENUE, PERP_VENUES } from '../../venue-registry.ts'

const MarketId = z.string().regex(/^0x[0-9a-f]{64}$/, 'must be a condition id: 0x and 64 hex digits')
/** Digits, or the name of a market and its outcome. */
const TokenId = z
  .string()
  .regex(
    /^(?:\d{1,80}|[A-Za-z0-9][A-Za-z0-9._-]{0,99}:(?:yes|no))$/,
    'must be a token id: up to 80 digits, or up to 100 characters with :yes or :no',
  )
const Venue = z
  .enum(VENUE_CHOICES)
  .optional()
  .describe(`only markets of this venue; \`all\` for every venue; default ${DEFAULT_VENUE}`)
const Coin = z.string().regex(/^[A-Za-z0-9]{2,10}$/, 'must be the symbol of a coin, such as BTC')

/** Selects markets, in exactly one form; `coin` with `timeframe` always means the current window. */
export const Selector = z
  .union([
    z.strictObject({ market: MarketId }).meta({ title: 'One market' }),
    z.strictObject({ token: TokenId }).meta({ title: 'The market of a token' }),
    z.strictObject({ slug: z.string().min(1).max(200), venue: Venue }).meta({
      title: 'One market by its slug, found as over REST, or the current window of a series such as btc-updown-5m',
    }),
    z
      .strictObject({ coin: Coin, timeframe: z.enum(['5m', '15m', '1h', '4h', '1d']), venue: Venue })
      .meta({ title: 'The current window of a coin; with `all`, that of each venue' }),
    z.strictObject({ category: z.enum(CATEGORIES), venue: Venue }).meta({ title: 'Every live market of a category' }),
    z
      .strictObject({ symbol: Coin, exchange: z.enum(PERP_VENUES.flatMap(({ id }) => [`${id}_perp`, id])).optional() })
      .meta({ title: 'A perpetual future' }),
  ])
  .meta({ id: 'Selector' })
export type Selector = z.infer<typeof Selector>

export const StreamOptions = z
  .strictObject({
    depth: z.int().min(1).max(1_000).optional().describe('maximum levels per side; without it, all'),
    interval_ms: z
      .int()
      .min(100)
      .max(60_000)
      .optional()
      .describe('send only slots whose time is a multiple of this; without it, every slot'),
    mode: z.enum(['snapshot', 'delta']).default('snapshot').describe('delta: first a full book, then only the changes'),
  })
  .meta({ id: 'StreamOptions' })
export type StreamOptions = z.infer<typeof StreamOptions>

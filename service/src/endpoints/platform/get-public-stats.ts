import { z } from 'zod'
import { COINS, type CoinSymbol } from '../../domain/market.ts'
import { endpoint } from '../endpoint.ts'
import { spotPriceOf } from '../schemas/book-figures.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import type { Stores } from '../stores.ts'

/** Of each coin's windows that end next, one has the newest price. */
const MARKETS_EACH = 3

export const getPublicStats = endpoint({
  method: 'GET',
  path: '/v1/public-stats',
  name: 'get_public_stats',
  group: 'Public',
  summary: 'What is recorded, in a few numbers',
  access: 'public',
  reply: z
    .object({
      snapshot_count: z.string().regex(/^\d+$/).describe('token snapshots stored so far; two for each market and slot'),
      active_markets: z.int().describe('live or upcoming'),
      prices: z
        .record(z.string(), z.number())
        .describe('spot price of each coin in USD; without coins that have no recent one'),
      exchange: z.object({
        snapshots_last_5min: z.int(),
        latest_snapshot: Instant.nullable().describe('null when there is none of the last five minutes'),
      }),
    })
    .meta({ id: 'PublicStats' }),
  errors: [],

  async handle({ stores, nowMs }) {
    const [{ categories, lateExchange }, prices] = await Promise.all([
      stores.platform.read(nowMs),
      spotPrices(stores, nowMs),
    ])
    const { snapshots, latestAtMs } = lateExchange
    return {
      body: {
        snapshot_count: String(categories.reduce((sum, each) => sum + each.snapshots, 0)),
        active_markets: stores.catalogue.list({}, nowMs).length,
        prices,
        exchange: {
          snapshots_last_5min: snapshots,
          latest_snapshot: latestAtMs === undefined ? null : instantOf(latestAtMs),
        },
      },
      maxAgeSeconds: 5,
    }
  },
})

/** As the newest rows of each coin's own markets carry them. */
async function spotPrices(
  { catalogue, newestRows }: Stores,
  nowMs: number,
): Promise<Partial<Record<CoinSymbol, number>>> {
  const chosen = COINS.flatMap((coin) =>
    catalogue
      .list({ coin, statuses: ['live'] }, nowMs)
      .slice(0, MARKETS_EACH)
      .map(({ id }) => ({ coin, id })),
  )
  const rows = await newestRows.readMany(chosen.map(({ id }) => id))
  const newest: Partial<Record<CoinSymbol, { price: number; atMs: number }>> = {}
  for (const { coin, id } of chosen) {
    const row = rows.get(id)?.[0]
    const price = row && spotPriceOf(row)
    if (row !== undefined && price !== undefined && row.capturedAtMs > (newest[coin]?.atMs ?? 0)) {
      newest[coin] = { price, atMs: row.capturedAtMs }
    }
  }
  return Object.fromEntries(Object.entries(newest).map(([coin, { price }]) => [coin, price]))
}

import { z } from 'zod'
import { COINS, type CoinSymbol } from '../../domain/market.ts'
import { endpoint } from '../endpoint.ts'
import { spotPriceOf } from '../schemas/book-figures.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import type { Stores } from '../stores.ts'

/** The newest price of a coin is in one of its windows that end next. */
const MARKETS_PER_COIN = 3

export const getPublicStats = endpoint({
  method: 'GET',
  path: '/v1/public-stats',
  name: 'get_public_stats',
  group: 'Public',
  summary: 'Get public figures: snapshots, active markets, spot prices',
  access: 'public',
  reply: z
    .object({
      snapshot_count: z.int().describe('stored token snapshots, two per market and slot'),
      active_markets: z.int().describe('live or upcoming'),
      prices: z
        .record(z.string(), z.number())
        .describe('spot price of each coin in USD; coins without a recent price are left out'),
      exchange: z.object({
        snapshots_last_5min: z.int(),
        latest_snapshot: Instant.nullable().describe('null without a snapshot in the last five minutes'),
      }),
    })
    .meta({ id: 'PublicStats' }),
  errors: [],

  async handle({ stores, nowMs }) {
    const active = stores.catalogue.list({}, nowMs)
    const [{ categories, lateExchange }, prices] = await Promise.all([
      stores.platform.read(nowMs),
      spotPrices(stores, active),
    ])
    const { snapshots, latestAtMs } = lateExchange
    return {
      body: {
        snapshot_count: categories.reduce((sum, each) => sum + each.snapshots, 0),
        active_markets: active.length,
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

/** From the newest rows of the markets of each coin. */
async function spotPrices(
  { newestRows }: Stores,
  active: ReturnType<Stores['catalogue']['list']>,
): Promise<Partial<Record<CoinSymbol, number>>> {
  const live = active.filter(({ category, status }) => category === 'crypto' && status === 'live')
  const byCoin = Map.groupBy(live, ({ subcategory }) => subcategory)
  const chosen = COINS.flatMap((coin) =>
    (byCoin.get(coin) ?? []).slice(0, MARKETS_PER_COIN).map(({ id }) => ({ coin, id })),
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

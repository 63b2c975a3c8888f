import { z } from 'zod'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { endpoint, type Table } from '../endpoint.ts'
import { CoinFilter, Flag, TimeframeFilter } from '../schemas/parameters.ts'
import { PairedSnapshot, pairedSnapshotOf, TokenSnapshot } from '../schemas/snapshot.ts'
import { readyCatalogue } from '../shared/find-market.ts'
import { wantedMarkets, withoutScope } from '../shared/market-filters.ts'
import type { Stores } from '../stores.ts'

const COUNT = 5
/** With more markets, the ones sampled last are found first. */
const READ_AT_ONCE = 64
const MAX_SEEN = 50_000

const table: Table<PairedSnapshot[]> = {
  columns: Object.keys(TokenSnapshot.shape),
  rows: (reply) => reply.flatMap(({ counterpart, ...up }) => [up, counterpart]),
}

export const listLatestSnapshots = endpoint({
  method: 'GET',
  path: '/api/snapshot/latest',
  name: 'list_latest_snapshots',
  group: 'Snapshots',
  summary: 'List the five newest snapshots of live markets',
  description:
    'Newest slot first; within a slot, the market that ends first. Each entry is the UP token with DOWN in `counterpart`.',
  access: { by: 'key', scope: 'live' },
  query: z.object({
    crypto: CoinFilter.optional(),
    timeframe: TimeframeFilter.optional(),
    includebook: Flag.default(false).describe('true adds bids and asks'),
  }),
  reply: z.array(PairedSnapshot),
  errors: [],
  table,

  async handle({ query, stores, nowMs, caller, require }) {
    const { filter = {}, aside } = wantedMarkets({ query, caller, require })
    const catalogue = readyCatalogue(stores)
    const isLive = { statuses: ['live'] } as const
    const markets = catalogue.list({ ...filter, ...isLive }, nowMs)
    const newest = await newestOf(stores, markets)
    if (newest.length === 0) {
      const isHidden = catalogue.list({ ...withoutScope(filter), ...isLive }, nowMs).length > 0
      return { body: [], aside, emptyReason: markets.length > 0 ? 'gap' : isHidden ? 'tier' : 'no_match' }
    }
    const body = newest.map(({ market, snapshot }) =>
      pairedSnapshotOf(market, snapshot, { outcome: 0, includeBook: query.includebook, isSuspect: false }),
    )
    return { body, aside }
  },
})

interface Newest {
  readonly market: StoredMarket
  readonly snapshot: Snapshot
}

/** Markets are sorted by their end, and the sort is stable. */
async function newestOf({ newestRows }: Stores, markets: readonly StoredMarket[]): Promise<Newest[]> {
  const candidates = markets.length <= READ_AT_ONCE ? markets : await lastSampled(newestRows, markets)
  const rows = await newestRows.readMany(
    candidates.map(({ id }) => id),
    COUNT,
  )
  return candidates
    .flatMap((market) => (rows.get(market.id) ?? []).map((snapshot) => ({ market, snapshot })))
    .toSorted((one, other) => slotMs(other.snapshot) - slotMs(one.snapshot))
    .slice(0, COUNT)
}

/** The five newest rows belong to the five markets that were sampled last. */
async function lastSampled(
  newestRows: Stores['newestRows'],
  markets: readonly StoredMarket[],
): Promise<StoredMarket[]> {
  const seen = new Map((await newestRows.recent(MAX_SEEN)).map(({ marketId, slotAtMs }) => [marketId, slotAtMs]))
  return markets
    .filter(({ id }) => seen.has(id))
    .toSorted((one, other) => (seen.get(other.id) ?? 0) - (seen.get(one.id) ?? 0))
    .slice(0, COUNT)
}

function slotMs({ slot, intervalMs }: Snapshot): number {
  return slotTimeMs(slot, intervalMs)
}

import { z } from 'zod'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { type Answer, type EndpointRequest, endpoint, type Table } from '../endpoint.ts'
import { CoinFilter, Flag, TimeframeFilter, VenueFilter } from '../schemas/parameters.ts'
import {
  DeclaredSnapshot,
  declaredSnapshotOf,
  PairedSnapshot,
  pairedSnapshotOf,
  TokenSnapshot,
} from '../schemas/snapshot.ts'
import { readyCatalogue } from '../shared/find-market.ts'
import { wantedMarkets, withoutScope } from '../shared/market-filters.ts'
import type { Stores } from '../stores.ts'

const COUNT = 5
/** With more markets, the ones sampled last are found first. */
const READ_AT_ONCE = 64
const MAX_SEEN = 50_000

const LatestQuery = z.object({
  crypto: CoinFilter.optional(),
  timeframe: TimeframeFilter.optional(),
  includebook: Flag.default(false).describe('true adds bids and asks'),
  venue: VenueFilter,
})
type Request = EndpointRequest<unknown, z.output<typeof LatestQuery>, undefined>

const table: Table<PairedSnapshot[]> = {
  columns: [...Object.keys(TokenSnapshot.shape), 'venue'],
  rows: (reply) => reply.flatMap(({ counterpart, ...up }) => [up, { ...counterpart, venue: up.venue }]),
}

export const listLatestSnapshots = endpoint({
  method: 'GET',
  path: '/api/snapshot/latest',
  name: 'list_latest_snapshots',
  group: 'Snapshots',
  summary: 'List the five newest snapshots of live markets',
  description:
    'Newest slot first; within a slot, the market that ends first. Each entry is the UP token with DOWN in `counterpart`; with `form=declared` it is the UP token alone.',
  access: { by: 'key', scope: 'live' },
  query: LatestQuery,
  reply: z.array(PairedSnapshot),
  errors: [],
  table,

  async handle(request) {
    const { newest, ...answer } = await listNewest(request)
    const options = { outcome: 0, includeBook: request.query.includebook, isSuspect: false } as const
    return { ...answer, body: newest.map(({ market, snapshot }) => pairedSnapshotOf(market, snapshot, options)) }
  },

  declared: {
    reply: z.array(DeclaredSnapshot),
    async handle(request) {
      const { newest, ...answer } = await listNewest(request)
      const options = { outcome: 0, includeBook: request.query.includebook } as const
      return { ...answer, body: newest.map(({ market, snapshot }) => declaredSnapshotOf(market, snapshot, options)) }
    },
  },
})

/** The newest snapshots, and all of the answer that does not depend on its form. */
async function listNewest({
  query,
  stores,
  nowMs,
  caller,
  require,
}: Request): Promise<Omit<Answer<never>, 'body'> & { newest: readonly Newest[] }> {
  const { filter = {}, aside } = wantedMarkets({ query, caller, require })
  const catalogue = readyCatalogue(stores)
  const isLive = { statuses: ['live'] } as const
  const markets = catalogue.list({ ...filter, ...isLive }, nowMs)
  const newest = await newestOf(stores, markets)
  if (newest.length > 0) return { newest, aside }
  const isHidden = catalogue.list({ ...withoutScope(filter), ...isLive }, nowMs).length > 0
  return { newest, aside, emptyReason: markets.length > 0 ? 'gap' : isHidden ? 'tier' : 'no_match' }
}

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

import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { BOOK_PRICE } from '../../domain/prices.ts'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import type { SlotRange } from '../../domain/slot-range.ts'
import { type EndpointRequest, endpoint, type Table } from '../endpoint.ts'
import { gapRecordOf, isSuspectAt } from '../schemas/gap.ts'
import { instantOf } from '../schemas/instant.ts'
import { ConditionId, Flag, Moment, Side } from '../schemas/parameters.ts'
import {
  DeclaredSnapshot,
  declaredSnapshotOf,
  PairedSnapshot,
  pairedSnapshotOf,
  TokenSnapshot,
} from '../schemas/snapshot.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import type { Stores } from '../stores.ts'

/** A row that is further away is not returned. */
const WITHIN_MS = 60_000

const Reply = z.object({
  ...PairedSnapshot.shape,
  distance_ms: z.int().describe('between the requested time and the time of capture'),
})
type Reply = z.infer<typeof Reply>

const SnapshotAtQuery = z.object({
  timestamp: Moment.describe('the time'),
  marketId: ConditionId,
  includebook: Flag.default(false).describe('true adds bids and asks'),
  side: Side.default('UP').describe('which token; the other one is in `counterpart`'),
  direction: z
    .enum(['nearest', 'before'])
    .default('nearest')
    .describe('before: only books captured at or before the time, so that a backtest sees no future data'),
})
type Request = EndpointRequest<unknown, z.output<typeof SnapshotAtQuery>, undefined>

const table: Table<Reply> = {
  columns: [...Object.keys(TokenSnapshot.omit({ proof: true }).shape), 'distance_ms', 'proof', 'venue'],
  rows: ({ counterpart, ...token }) => [token, { ...counterpart, distance_ms: token.distance_ms, venue: token.venue }],
  inRows: 'all',
}

export const getSnapshot = endpoint({
  method: 'GET',
  path: '/api/snapshot',
  name: 'get_snapshot',
  group: 'Snapshots',
  summary: 'Get the stored book of a market nearest to a time',
  access: { by: 'key', scope: 'history' },
  priceRule: `${BOOK_PRICE}; free without \`includebook=true\``,
  isFree: ({ includebook }) => !includebook,
  query: SnapshotAtQuery,
  reply: Reply,
  errors: ['market_not_found', 'no_snapshot'],
  table,

  async handle(request) {
    const { timestamp: atMs, includebook: includeBook } = request.query
    const { market, snapshot, outcome, isSuspect } = await nearestSnapshot(request)
    return {
      body: {
        ...pairedSnapshotOf(market, snapshot, { outcome, includeBook, isSuspect }),
        distance_ms: Math.abs(snapshot.capturedAtMs - atMs),
      },
      readUpToSlot: snapshot.slot,
      exactBooks: () => (includeBook ? 2 : 0),
    }
  },

  declared: {
    reply: DeclaredSnapshot,
    async handle(request) {
      const { includebook: includeBook } = request.query
      const { market, snapshot, outcome } = await nearestSnapshot(request)
      return {
        body: declaredSnapshotOf(market, snapshot, { outcome, includeBook }),
        aside: { venue: market.venue },
        readUpToSlot: snapshot.slot,
        exactBooks: () => (includeBook ? 1 : 0),
      }
    },
  },
})

interface NearestSnapshot {
  readonly market: FoundMarket
  readonly snapshot: Snapshot
  readonly outcome: 0 | 1
  readonly isSuspect: boolean
}

async function nearestSnapshot(request: Request): Promise<NearestSnapshot> {
  const { query, stores, paidRead, require, callerContext } = request
  const { timestamp: atMs, direction } = query
  const nowMs = paidRead?.atMs ?? request.nowMs
  const market = await findMarket(stores, query.marketId, nowMs)
  require({ category: market.category })
  require({ historyAgeMs: nowMs - Math.min(atMs, nowMs) })
  if (query.includebook) await callerContext?.requireBooks(1)
  const [snapshot, gaps] = await Promise.all([
    stores.snapshots.nearest(rowsOf(market), { atMs, withinMs: WITHIN_MS, direction, upToSlot: paidRead?.upToSlot }),
    gapsNear(stores, market, atMs),
  ])
  if (snapshot === undefined) throw await noSnapshot(stores, market, atMs, nowMs)
  return { market, snapshot, outcome: query.side === 'UP' ? 0 : 1, isSuspect: isSuspectAt(gaps, snapshot.slot) }
}

function rowsOf({ id, captureIntervalMs }: FoundMarket): { marketId: string; intervalMs: number } {
  return { marketId: id, intervalMs: captureIntervalMs }
}

function gapsNear({ gaps }: Stores, market: FoundMarket, atMs: number): ReturnType<Stores['gaps']['range']> {
  return gaps.range({ ...rowsOf(market), fromMs: atMs - 2 * WITHIN_MS, toMs: atMs + 2 * WITHIN_MS })
}

async function noSnapshot(stores: Stores, market: FoundMarket, atMs: number, nowMs: number): Promise<ApiError> {
  const [window, gaps] = await Promise.all([
    stores.recordedWindows.of(market.id, nowMs),
    gapsNear(stores, market, atMs),
  ])
  const { captureIntervalMs } = market
  const distance = ({ fromSlot, toSlot }: SlotRange): number =>
    Math.max(slotTimeMs(fromSlot, captureIntervalMs) - atMs, atMs - slotTimeMs(toSlot, captureIntervalMs), 0)
  const [gap] = gaps.toSorted((one, other) => distance(one) - distance(other))
  return new ApiError(
    'no_snapshot',
    'There is no snapshot of this market within a minute of this time; see gap and recorded.',
    {
      details: {
        market_id: market.id,
        timestamp: instantOf(atMs),
        within_ms: WITHIN_MS,
        recorded:
          window === undefined
            ? null
            : {
                from: instantOf(slotTimeMs(window.firstSlot, captureIntervalMs)),
                to: instantOf(slotTimeMs(window.lastSlot + 1, captureIntervalMs)),
              },
        gap: gap === undefined ? null : gapRecordOf(gap),
      },
    },
  )
}

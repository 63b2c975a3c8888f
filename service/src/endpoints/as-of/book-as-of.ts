import type { Gap } from '../../domain/rows/gap.ts'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { slotAt, slotTimeMs } from '../../domain/slot.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { recordedLife } from '../shared/recorded-life.ts'
import type { Stores } from '../stores.ts'

/** The book that was known at a moment, or why there is none. */
export type BookAsOf =
  | { readonly snapshot: Snapshot; readonly isSuspect: boolean }
  /** Without a record when the hole is a defect of ours. */
  | { readonly reason: 'gap'; readonly gap: Gap | undefined }
  | { readonly reason: 'outside_capture' | 'not_recorded_yet' }

/** Rows of the last seconds may still be on their way into ClickHouse; Redis has them. */
export const ON_THE_WAY_MS = 30_000
const NEWEST = 4

/**
 * Nothing that came after the moment: neither a later slot, nor this slot's sample if it was taken a little later.
 * Then it is the one before; anything older would be a book of which nobody knew any more whether it was true.
 */
export async function bookAsOf(stores: Stores, market: StoredMarket, atMs: number, nowMs: number): Promise<BookAsOf> {
  const { id: marketId, captureIntervalMs: intervalMs } = market
  const slot = slotAt(atMs, intervalMs)
  const span = { marketId, intervalMs, fromMs: slotTimeMs(slot - 1, intervalMs), toMs: atMs + 1 }
  const [stored, newest, records] = await Promise.all([
    stores.snapshots.range(span, { order: 'desc', limit: NEWEST }),
    nowMs - atMs < ON_THE_WAY_MS ? stores.latest.read(marketId) : [],
    stores.gaps.range(span),
  ])
  const rows = [...stored, ...newest].filter((row) => row.slot === slot || row.slot === slot - 1)
  const known = rows.filter(({ capturedAtMs }) => capturedAtMs <= atMs)
  const isTakenLater = rows.some((row) => row.slot === slot && row.capturedAtMs > atMs)
  const wanted = isTakenLater ? slot - 1 : slot
  const missing = records.find((gap) => gap.kind === 'missing' && covers(gap, wanted))
  const snapshot = known.find((row) => row.slot === wanted) ?? (missing === undefined ? known[0] : undefined)
  if (snapshot === undefined) return missing ? { reason: 'gap', gap: missing } : whyNot(stores, market, atMs, nowMs)
  return { snapshot, isSuspect: records.some((gap) => gap.kind === 'suspect' && covers(gap, snapshot.slot)) }
}

async function whyNot(stores: Stores, market: StoredMarket, atMs: number, nowMs: number): Promise<BookAsOf> {
  const life = await recordedLife(stores, market, nowMs)
  const isOnTheWay = nowMs - atMs < ON_THE_WAY_MS && (life === undefined || atMs >= life.toMs)
  if (isOnTheWay && market.status !== 'expired') return { reason: 'not_recorded_yet' }
  if (life === undefined || atMs < life.fromMs || atMs >= life.toMs) return { reason: 'outside_capture' }
  return { reason: 'gap', gap: undefined }
}

function covers({ fromSlot, toSlot }: Gap, slot: number): boolean {
  return fromSlot <= slot && slot <= toSlot
}

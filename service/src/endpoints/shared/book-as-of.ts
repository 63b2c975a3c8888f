import type { Gap } from '../../domain/rows/gap.ts'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { slotAt, slotTimeMs } from '../../domain/slot.ts'
import { hasSlot } from '../../domain/slot-range.ts'
import type { Stores } from '../stores.ts'
import type { FoundMarket } from './found-market.ts'
import { recordedRange } from './recorded-range.ts'

/** The book that was known at a time, or why there is none. */
export type BookAsOf =
  | { readonly snapshot: Snapshot; readonly isSuspect: boolean }
  /** Undefined when a slot has neither a row nor a gap, which is a bug. */
  | { readonly reason: 'gap'; readonly gap: Gap | undefined }
  | { readonly reason: 'outside_capture' | 'not_recorded_yet' | 'retention' }

/** Newer rows may not be in ClickHouse yet, but are in Redis. */
export const ARCHIVE_DELAY_MS = 30_000
const NEWEST = 4

/** Uses no sample taken after the time. If the sample of its slot is later, the previous slot counts; older books are too old to be trusted. */
export async function bookAsOf(stores: Stores, market: FoundMarket, atMs: number, nowMs: number): Promise<BookAsOf> {
  if (atMs < (await stores.storedSince.of('snapshots', nowMs))) return { reason: 'retention' }
  const { id: marketId, captureIntervalMs: intervalMs } = market
  const slot = slotAt(atMs, intervalMs)
  const range = { marketId, intervalMs, fromMs: slotTimeMs(slot - 1, intervalMs), toMs: atMs + 1 }
  const [stored, newest, records] = await Promise.all([
    stores.snapshots.range(range, { order: 'desc', limit: NEWEST }),
    nowMs - atMs < ARCHIVE_DELAY_MS ? stores.newestRows.read(marketId) : [],
    stores.gaps.range(range),
  ])
  const rows = [...stored, ...newest].filter((row) => row.slot === slot || row.slot === slot - 1)
  const known = rows.filter(({ capturedAtMs }) => capturedAtMs <= atMs)
  const isTakenLater = rows.some((row) => row.slot === slot && row.capturedAtMs > atMs)
  const wanted = isTakenLater ? slot - 1 : slot
  const missing = records.find((gap) => gap.kind === 'missing' && hasSlot(gap, wanted))
  const snapshot = known.find((row) => row.slot === wanted) ?? (missing === undefined ? known[0] : undefined)
  if (snapshot === undefined) return missing ? { reason: 'gap', gap: missing } : whyNot(stores, market, atMs, nowMs)
  return { snapshot, isSuspect: records.some((gap) => gap.kind === 'suspect' && hasSlot(gap, snapshot.slot)) }
}

async function whyNot(stores: Stores, market: FoundMarket, atMs: number, nowMs: number): Promise<BookAsOf> {
  const recorded = await recordedRange(stores, market, nowMs)
  const isDelayed = nowMs - atMs < ARCHIVE_DELAY_MS && (recorded === undefined || atMs >= recorded.toMs)
  if (isDelayed && market.status !== 'expired') return { reason: 'not_recorded_yet' }
  if (recorded === undefined || atMs < recorded.fromMs || atMs >= recorded.toMs) return { reason: 'outside_capture' }
  return { reason: 'gap', gap: undefined }
}

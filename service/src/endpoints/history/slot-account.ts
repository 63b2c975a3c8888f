import { accountFor, type SlotAccounting } from '../../domain/slot-accounting.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import type { Stores } from '../stores.ts'

/** What became of every slot of a market in a stretch of time, the end not included. */
export async function slotAccountOf(
  { gaps, missingSlots }: Pick<Stores, 'gaps' | 'missingSlots'>,
  { id: marketId, captureIntervalMs: intervalMs }: Pick<StoredMarket, 'id' | 'captureIntervalMs'>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  signal?: AbortSignal,
): Promise<SlotAccounting> {
  const span = { marketId, intervalMs, fromMs, toMs }
  const [runs, records] = await Promise.all([missingSlots.runs(span, signal), gaps.range(span)])
  const range = { fromSlot: Math.ceil(fromMs / intervalMs), toSlot: Math.ceil(toMs / intervalMs) - 1 }
  return accountFor(range, runs, records)
}

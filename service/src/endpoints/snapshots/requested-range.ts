import { slotAt } from '../../domain/slot.ts'
import { mayUse, TIER_LIMITS } from '../../domain/tier.ts'
import type { RecordedWindow } from '../../stores/books/recorded-window.ts'
import type { SlotRange } from '../../stores/books/snapshot-pages.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import type { EndpointRequest } from '../endpoint.ts'

/** Times of capture that are asked for, and the slots that can hold them. */
export interface AskedRange extends SlotRange {
  /** The oldest moment that the tier includes, where nothing older was asked for by name. */
  readonly historyFromMs: number | undefined
}

type Asked = Pick<
  EndpointRequest<unknown, { readonly from?: number | undefined; readonly to?: number | undefined }, unknown>,
  'query' | 'caller' | 'nowMs' | 'require'
>

const HOUR_MS = 3_600_000
/** A row is captured up to 0.8 of the shortest interval after its slot; this is generous, and what is too much is filtered. */
const MARGIN_MS = 5_000
/** A market that was silent for so long is asked for where it ended, not where it would be now. */
const ENDED_AFTER_MS = 3_600_000

/** Throws when the tier does not reach that far back; without `from`, it is the tier's reach that bounds. */
export function askedTimes({ query: { from, to }, caller, nowMs, require }: Asked): {
  fromMs: number
  toMs: number
  historyFromMs: number | undefined
} {
  require({ historyAgeMs: nowMs - Math.min(from ?? to ?? nowMs, nowMs) })
  const tier = caller?.tier ?? 'free'
  const isLimited = from === undefined && !mayUse(tier, { historyAgeMs: Number.POSITIVE_INFINITY })
  const historyFromMs = isLimited ? nowMs - TIER_LIMITS[tier].historyHours * HOUR_MS : undefined
  return { fromMs: from ?? historyFromMs ?? 0, toMs: to ?? nowMs + MARGIN_MS, historyFromMs }
}

/** Never wider than what is recorded, so that no day is opened in vain; without slots when nothing is. */
export function askedRange(
  asked: Asked,
  market: Pick<StoredMarket, 'id' | 'captureIntervalMs' | 'status'>,
  window: RecordedWindow | undefined,
): AskedRange {
  const { captureIntervalMs: intervalMs, id: marketId } = market
  const times = askedTimes(asked)
  if (window === undefined) return { marketId, intervalMs, ...times, fromSlot: 1, toSlot: 0 }
  const isEnded = market.status === 'expired' || window.lastSlot * intervalMs < asked.nowMs - ENDED_AFTER_MS
  const newestSlot = isEnded ? window.lastSlot : slotAt(asked.nowMs, intervalMs) + 1
  return {
    marketId,
    intervalMs,
    ...times,
    fromSlot: Math.max(slotAt(Math.max(times.fromMs - MARGIN_MS, 0), intervalMs), window.firstSlot),
    toSlot: Math.min(slotAt(times.toMs + MARGIN_MS, intervalMs), newestSlot),
  }
}

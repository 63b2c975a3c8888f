import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import type { Stores } from '../stores.ts'

/** From the first to the last slot of which anything is known; the end not included. */
export interface RecordedLife {
  readonly fromMs: number
  readonly toMs: number
  readonly rowCount: number
}

/** Records of gaps may begin before a market was listed. */
const BEFORE_FIRST_SEEN_MS = 86_400_000

/** Undefined for a market of which nothing was recorded yet. */
export async function recordedLife(
  { marketDays, gaps }: Pick<Stores, 'marketDays' | 'gaps'>,
  market: StoredMarket,
  nowMs: number,
): Promise<RecordedLife | undefined> {
  const { id: marketId, captureIntervalMs: intervalMs } = market
  const span = { marketId, intervalMs, fromMs: market.firstSeenAtMs - BEFORE_FIRST_SEEN_MS, toMs: nowMs }
  const [days, records] = await Promise.all([marketDays.days(marketId), gaps.range(span)])
  const own = days.filter((day) => day.intervalMs === intervalMs)
  if (own.length === 0 && records.length === 0) return undefined
  const firsts = [...own.map(({ firstSlot }) => firstSlot), ...records.map(({ fromSlot }) => fromSlot)]
  const lasts = [...own.map(({ lastSlot }) => lastSlot), ...records.map(({ toSlot }) => toSlot)]
  return {
    fromMs: smallest(firsts) * intervalMs,
    toMs: (largest(lasts) + 1) * intervalMs,
    rowCount: own.reduce((sum, { rowCount }) => sum + rowCount, 0),
  }
}

function smallest(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
}

import { isStoreAway } from '../../stores/engines/store-away.ts'
import type { Stores } from '../stores.ts'

/** A market is being recorded when its newest row is at most its interval plus this time old. */
const DELAY_MS = 2_500
const MAX_MARKETS = 20_000

/** What is recorded now of one category plan. */
export interface PlanFigures {
  readonly plan: string
  /** Live or upcoming. */
  readonly activeMarkets: number
  /** Those with a row in the last seconds. */
  readonly recordedNow: number
  /** Of the recorded markets, from their intervals. */
  readonly rowsPerSecond: number
  /** Of all active markets, from their intervals. */
  readonly expectedRowsPerSecond: number
}

/** Undefined while the newest rows are unavailable. */
export async function planFigures(
  { catalogue, newestRows }: Pick<Stores, 'catalogue' | 'newestRows'>,
  nowMs: number,
): Promise<PlanFigures[] | undefined> {
  try {
    const seen = new Map((await newestRows.recent(MAX_MARKETS)).map(({ marketId, slotAtMs }) => [marketId, slotAtMs]))
    const byPlan = Map.groupBy(catalogue.list({}, nowMs), ({ planId }) => planId)
    return [...byPlan].map(([plan, markets]) => {
      const now = markets.filter(
        ({ id, captureIntervalMs }) => nowMs - (seen.get(id) ?? 0) <= captureIntervalMs + DELAY_MS,
      )
      return {
        plan,
        activeMarkets: markets.length,
        recordedNow: now.length,
        rowsPerSecond: rateOf(now),
        expectedRowsPerSecond: rateOf(markets),
      }
    })
  } catch (error) {
    if (isStoreAway(error)) return undefined
    throw error
  }
}

function rateOf(markets: readonly { readonly captureIntervalMs: number }[]): number {
  const rate = markets.reduce((sum, { captureIntervalMs }) => sum + 1_000 / captureIntervalMs, 0)
  return Math.round(rate * 100) / 100
}

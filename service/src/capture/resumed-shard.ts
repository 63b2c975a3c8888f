import type { SavedState } from '../bus/shard-states.ts'
import type { TimeRange } from '../domain/time-range.ts'
import { AGREE_WITHIN_MS } from './start-time.ts'
import { StoredRows, type StoredRowsRecord } from './stored-rows.ts'

/** Markets that an earlier recorder of the shard left, each with the last tick that has rows or gap records. */
export type InheritedMarkets = ReadonlyMap<string, number>

/** A recorder waits this long for the time of the last tick to pass; a tick further ahead was never real. */
export const LONGEST_WAIT_MS = 60_000

/** The state is saved once a second; this much more may have been recorded since. */
const RECORD_MAY_LAG_MS = 5_000

/** How a recorder goes on with a shard that another one left. */
export interface ResumedShard {
  /** Each market with the last tick that has rows or gap records. */
  readonly inherited: InheritedMarkets
  /** Ticks up to this one are not sampled: their slots have rows already. */
  readonly notBeforeMs: number
  /** Rows of this time were numbered by a clock that was ahead. */
  readonly wrongTime: TimeRange | undefined
  /** What the bus has of the last seconds, also of the time since the state was saved. */
  readonly stored?: StoredRows | undefined
}

/** The same, as JSON can hold it. */
export interface ResumedShardRecord {
  readonly inherited: readonly (readonly [marketId: string, lastTickMs: number])[]
  readonly notBeforeMs: number
  readonly wrongTime?: TimeRange | undefined
  readonly stored?: StoredRowsRecord | undefined
}

export function recordOfResumed({ inherited, stored, ...others }: ResumedShard): ResumedShardRecord {
  return { ...others, inherited: [...inherited], stored: stored?.record }
}

export function resumedIn({ inherited, notBeforeMs, wrongTime, stored }: ResumedShardRecord): ResumedShard {
  return { inherited: new Map(inherited), notBeforeMs, wrongTime, stored: stored && new StoredRows(stored) }
}

/**
 * A last tick in the future shows that the earlier recorder's clock was ahead. If it is near, its slots are waited for,
 * so that none is written twice. If it is far, recording goes on at once with the right time: the slots up to the last
 * tick are then written a second time, and all rows of the wrong time are marked as suspect.
 */
export function resumedShard(state: SavedState, nowMs: number): ResumedShard {
  const { lastTickMs, sinceTickMs = lastTickMs, savedAtMs } = state
  const aheadMs = lastTickMs - nowMs
  // Clocks of two machines differ a little: the slots up to the last tick have rows, and the rows are right.
  if (aheadMs <= AGREE_WITHIN_MS)
    return { inherited: inheritedFrom(state), notBeforeMs: aheadMs > 0 ? lastTickMs : 0, wrongTime: undefined }
  if (aheadMs <= LONGEST_WAIT_MS) {
    const wrongTime = { fromMs: nowMs, toMs: lastTickMs }
    return { inherited: inheritedFrom(state), notBeforeMs: lastTickMs + RECORD_MAY_LAG_MS, wrongTime }
  }
  // The NATS server noted when the state was saved; its clock may have been ahead with the recorder's.
  const leftAtMs = Math.min(savedAtMs, nowMs)
  const inherited = new Map([...inheritedFrom(state)].map(([id, tickMs]) => [id, Math.min(tickMs, leftAtMs)]))
  return { inherited, notBeforeMs: 0, wrongTime: { fromMs: sinceTickMs, toMs: lastTickMs + RECORD_MAY_LAG_MS } }
}

function inheritedFrom({ lastTickMs, marketIds, waiting }: SavedState): InheritedMarkets {
  return new Map([...Object.entries(waiting), ...marketIds.map((id): [string, number] => [id, lastTickMs])])
}

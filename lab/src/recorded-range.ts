import { setTimeout as sleep } from 'node:timers/promises'
import { gapStore, type Hole } from '@bookreel/service/stores/books/gaps'
import type { RecordingService } from './recording-service.ts'

/** A multiple of every capture interval, so that a range contains whole slots only. */
const WHOLE_SLOTS_MS = 6_000
/** Time limit for storing the last rows on a slow machine. */
const STORED_WITHIN_S = 180

/** Time until the last captured rows are queryable. */
export const SETTLE_MS = 6_000

export interface Range {
  readonly fromMs: number
  readonly toMs: number
}

/** Records for some minutes; `eachSecond` gets the seconds since the start and their total. */
export async function recordRange(
  minutes: number,
  eachSecond: (second: number, seconds: number) => Promise<void> | void,
): Promise<Range> {
  const fromMs = Math.ceil(Date.now() / WHOLE_SLOTS_MS) * WHOLE_SLOTS_MS
  for (let second = 1; second <= minutes * 60; second++) {
    await sleep(Math.max(0, fromMs + second * 1_000 - Date.now()))
    await eachSecond(second, minutes * 60)
  }
  return { fromMs, toMs: Math.floor(Date.now() / WHOLE_SLOTS_MS) * WHOLE_SLOTS_MS }
}

/** Missing slots without a gap record; waits for rows and gap records that are still on their way. */
export async function holesIn({ clickhouse }: RecordingService, range: Range): Promise<Hole[]> {
  const gaps = gapStore(clickhouse)
  let holes = await gaps.uncoveredHoles(range)
  for (let second = 0; second < STORED_WITHIN_S && holes.length > 0; second++) {
    await sleep(1_000)
    holes = await gaps.uncoveredHoles(range)
  }
  return holes
}

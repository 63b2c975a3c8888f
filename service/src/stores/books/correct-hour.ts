import type { Corrections } from './corrections.ts'
import { compareHour, type HourChanges, type HourRows, type ReplacingServers } from './replace-hour.ts'

/** Makes the stored hour equal to these rows. Undefined when it is already; otherwise its new revision. */
export async function correctHour(
  servers: ReplacingServers,
  corrections: Pick<Corrections, 'revisionOf' | 'begin' | 'finish'>,
  hour: HourRows,
  reason: string,
): Promise<{ readonly revision: number; readonly changes: HourChanges } | undefined> {
  const { changes, apply } = await compareHour(servers, hour)
  const isEqual = changes.snapshots + changes.gaps + changes.trades === 0
  // An earlier attempt may have replaced the rows and died before it told so.
  if (isEqual && !(await corrections.revisionOf(hour)).isBeingCorrected) return undefined
  const revision = await corrections.begin(hour, reason, changes)
  await apply()
  await corrections.finish(hour, revision)
  return { revision, changes }
}

import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeIndex, partsOf } from './segment-format.ts'
import { segmentKey } from './segment-name.ts'
import { factsOf, SegmentSummary } from './segment-summary.ts'
import { type SegmentPlace, segmentsIn } from './stored-segments.ts'

/** A recorder writes to its segment every few seconds, so a file that does not change belongs to nobody. */
export const ABANDONED_AFTER_MS = 120_000

/** Gives segments that a crash left open their index and their final name; what can't be read is left out. */
export async function sealAbandoned(place: SegmentPlace, folder: string, nowMs: number): Promise<void> {
  for (const { key, recorder, number, startMs, endMs, changedAtMs } of await segmentsIn(place)) {
    if (endMs !== undefined || nowMs - changedAtMs < ABANDONED_AFTER_MS) continue
    const summary = new SegmentSummary(recorder, number)
    const bytes = await place.store.get(`${place.prefix}${key}`)
    const kept: Buffer[] = []
    for (const part of partsOf(bytes)) {
      if (!('packed' in part)) continue
      const stored = bytes.subarray(part.offset, part.offset + part.bytes)
      summary.add(stored, part.rawBytes, await factsOf(part))
      kept.push(stored)
    }
    const path = join(folder, key)
    if (summary.isEmpty) {
      await rm(path, { force: true })
      continue
    }
    const sealed = `${path}.part`
    {
      await using file = await open(sealed, 'w', 0o600)
      await file.writeFile(Buffer.concat([...kept, encodeIndex(summary.index())]))
      await file.sync()
    }
    await rename(sealed, join(folder, segmentKey({ recorder, number, startMs, endMs: summary.endMs })))
    await rm(path, { force: true })
  }
}

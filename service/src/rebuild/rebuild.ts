import { CHECKPOINT_EVERY_MS } from '../capture/recording.ts'
import { inputIn } from '../capture/recording-input.ts'
import { slotTimeMs } from '../domain/slot.ts'
import type { TimeRange } from '../domain/time-range.ts'
import type { MissingTime, RawReader } from '../raw/raw-reader.ts'
import type { StoredSegment } from '../raw/stored-segments.ts'
import { RebuiltRows } from './rebuilt-rows.ts'
import { ReplayedRecorder, type ReplayedVenues } from './replayed-recorder.ts'

export interface RebuildOptions {
  readonly reader: RawReader
  readonly venues: ReplayedVenues
  readonly shardOf: (marketId: string) => number
  readonly range: TimeRange
  /** Told about once a second of recorded time. */
  readonly onProgress?: (atMs: number) => void
  /** Default: that of recorders. */
  readonly checkpointEveryMs?: number
}

export interface Rebuilt {
  readonly rows: RebuiltRows
  /** Markets with a gap that began in the range and has not ended: its record still grows. */
  readonly unfinished: ReadonlySet<string>
  readonly records: number
}

/** The raw archive lacks something that rows of the range depend on. */
export class RawIsIncomplete extends Error {
  override readonly name = 'RawIsIncomplete'
}

/** Doubts about a row, and late trades, are known this long after it at the latest. */
const SETTLES_WITHIN_MS = 120_000
const LONGEST_GAP_MS = 6 * 3_600_000
const PROGRESS_EVERY_MS = 1_000

/** Produces the rows, gaps and trades of a range again, from what the recorders received then. */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const { reader, range, checkpointEveryMs = CHECKPOINT_EVERY_MS } = options
  const rows = new RebuiltRows(range)
  const unfinished = new Set<string>()
  let records = 0
  const read = {
    // One round of checkpoints may just have begun before, so the next one is needed whole.
    fromMs: range.fromMs - 2 * checkpointEveryMs,
    toMs: range.toMs + SETTLES_WITHIN_MS + LONGEST_GAP_MS,
  }
  for (const [recorder, segments] of await reader.segments(read)) {
    if (!segments.some(({ startMs }) => startMs < range.toMs)) continue
    requireStart(recorder, segments, read.fromMs)
    records += await replayOne(options, segments, read, rows, unfinished)
  }
  return { rows, unfinished, records }
}

/** Returns the number of records. */
async function replayOne(
  { reader, venues, shardOf, range, onProgress }: RebuildOptions,
  segments: readonly StoredSegment[],
  read: TimeRange,
  rows: RebuiltRows,
  unfinished: Set<string>,
): Promise<number> {
  const replayed = new ReplayedRecorder(venues, shardOf, (...args) => rows.add(...args))
  const { recording } = replayed
  const openSince = (marketId: string): number => {
    const slot = recording.openGapSince(marketId)
    const intervalMs = recording.markets.get(marketId)?.market.captureIntervalMs ?? 0
    return slot === undefined ? Number.POSITIVE_INFINITY : slotTimeMs(slot, intervalMs)
  }
  const open = (): string[] => [...recording.markets.keys()].filter((id) => openSince(id) < range.toMs)
  let [records, toldMs] = [0, 0]
  for await (const record of reader.read(segments, read)) {
    records++
    if (record.kind === 'dropped') requireOutside(record.body, range)
    const input = record.kind === 'shard_held' ? inputIn(record) : undefined
    if (input?.kind === 'shard_held') {
      const { shard, epoch, resumed } = input
      const lastTickMs = Math.max(0, ...(resumed?.inherited ?? []).map(([, tickMs]) => tickMs))
      rows.takenOver(shard, { epoch, lastTickMs: resumed === undefined ? record.atMs : lastTickMs })
    }
    replayed.take(record)
    if (record.atMs - toldMs < PROGRESS_EVERY_MS) continue
    toldMs = record.atMs
    onProgress?.(record.atMs)
    if (record.atMs >= range.toMs + SETTLES_WITHIN_MS && open().length === 0) break
  }
  for (const id of open()) unfinished.add(id)
  return records
}

function requireStart(recorder: string, [first]: readonly StoredSegment[], fromMs: number): void {
  if (first === undefined || first.number === 1 || first.startMs <= fromMs) return
  const [from, start] = [fromMs, first.startMs].map((atMs) => new Date(atMs).toISOString())
  throw new RawIsIncomplete(
    `The raw archive of recorder ${recorder} begins at ${start}, but is needed from ${from}. Choose a later --from.`,
  )
}

function requireOutside(body: Buffer | string, range: TimeRange): void {
  const dropped = JSON.parse(body.toString()) as Omit<MissingTime, 'recorder'> & { records: number }
  if (dropped.fromMs >= range.toMs) return
  const [from, to] = [dropped.fromMs, dropped.toMs].map((atMs) => new Date(atMs).toISOString())
  throw new RawIsIncomplete(
    `A recorder dropped ${dropped.records} raw records between ${from} and ${to} (${dropped.reason}). Choose a range that does not need them.`,
  )
}

import { CHECKPOINT_EVERY_MS, type Recording } from '../capture/recording.ts'
import { inputIn } from '../capture/recording-input.ts'
import type { RawRecord } from '../domain/raw-record.ts'
import { groupOf, shardOf, shardsOf } from '../domain/shards.ts'
import { slotTimeMs } from '../domain/slot.ts'
import type { TimeRange } from '../domain/time-range.ts'
import type { MissingTime, RawReader } from '../raw/raw-reader.ts'
import type { StoredSegment } from '../raw/stored-segments.ts'
import { RebuiltRows, SETTLES_WITHIN_MS } from './rebuilt-rows.ts'
import { ReplayedRecorder, type ReplayedVenues } from './replayed-recorder.ts'

export interface RebuildOptions {
  readonly reader: RawReader
  /** New ones for each recorder: books of a venue share what is known of its hash rule. */
  readonly venues: () => ReplayedVenues
  /** Of each venue, as the recorders had it. */
  readonly shardCounts: ReadonlyMap<string, number>
  readonly range: TimeRange
  /** Told about once a second of recorded time. */
  readonly onProgress?: (atMs: number) => void
}

export interface Rebuilt {
  readonly rows: RebuiltRows
  /** Markets with a gap that began in the range and has not ended: its record still grows. */
  readonly unfinished: ReadonlySet<string>
  /** Parts of the range without records: a recorder was down, or its raw archive is missing. Stored rows of them stay. */
  readonly unread: readonly (TimeRange & { readonly shard: string })[]
  readonly records: number
}

/** A market whose recorder ended, or was read to the end, within a gap. */
interface OpenGap {
  readonly id: string
  readonly shard: string
  readonly epoch: number
}

/** The raw archive lacks something that rows of the range depend on. */
export class RawIsIncomplete extends Error {
  override readonly name = 'RawIsIncomplete'
}

const LONGEST_GAP_MS = 6 * 3_600_000
const PROGRESS_EVERY_MS = 1_000
/** The slowest markets are sampled every 3 s. */
const WORTH_TELLING_MS = 5_000

/** Produces the rows, gaps and trades of a range again, from what the recorders received then. */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const { reader, range } = options
  const rows = new RebuiltRows(range)
  const open: OpenGap[] = []
  let records = 0
  const read = {
    // One round of checkpoints may just have begun before, so the next one is needed whole.
    fromMs: range.fromMs - 2 * CHECKPOINT_EVERY_MS,
    toMs: range.toMs + SETTLES_WITHIN_MS + LONGEST_GAP_MS,
  }
  for (const [recorder, segments] of await reader.segments(read)) {
    if (!segments.some(({ startMs }) => startMs < range.toMs)) continue
    requireStart(recorder, segments, read.fromMs)
    records += await replayOne(options, segments, read, rows, open)
  }
  if (records === 0)
    throw new RawIsIncomplete(
      'The raw archive has no records of this range. Check RAW_DIR and OBJECT_STORE_URL; `raw list` shows what they have.',
    )
  const venues = new Set([...rows.shards].map(groupOf))
  const shards = [...venues].flatMap((venue) => shardsOf(venue, options.shardCounts.get(venue) ?? 0))
  const unread = shards.flatMap((shard) => rows.unreadOf(shard).map((part) => ({ shard, ...part })))
  // The gap of a recorder that ended was ended by its successor.
  const unfinished = new Set(open.flatMap(({ id, shard, epoch }) => (rows.wasTakenOver(shard, epoch) ? [] : [id])))
  return { rows, unfinished, unread: unread.filter(({ fromMs, toMs }) => toMs - fromMs >= WORTH_TELLING_MS), records }
}

/** Returns the number of records. */
async function replayOne(
  { reader, venues, shardCounts, range, onProgress }: RebuildOptions,
  segments: readonly StoredSegment[],
  read: TimeRange,
  rows: RebuiltRows,
  stillOpen: OpenGap[],
): Promise<number> {
  const ofMarket = (venue: string, marketId: string): string =>
    shardOf(venue, marketId, shardCounts.get(venue) ?? Number.NaN)
  const replayed = new ReplayedRecorder(venues(), ofMarket, (...args) => rows.add(...args))
  const open = (): OpenGap[] =>
    [...replayed.recordings].flatMap(([, recording]) => openGaps(recording, range, ofMarket))
  let [records, toldMs] = [0, 0]
  for await (const record of reader.read(segments, read)) {
    records++
    if (record.kind === 'dropped') requireOutside(record.body, range)
    const input = record.kind === 'shard_held' ? inputIn(record) : undefined
    if (input?.kind === 'shard_held') {
      const { shard, epoch, resumed } = input
      const ticksMs = [...(resumed?.inherited ?? []).map(([, tickMs]) => tickMs), ...(resumed?.stored?.ticksMs ?? [])]
      rows.takenOver(shard, { epoch, lastTickMs: ticksMs.length === 0 ? record.atMs : Math.max(...ticksMs) })
    }
    replayed.take(record)
    const leases = replayed.recordings.get(record.venue)?.leases ?? new Map()
    if (record.kind === 'tick') noteTick(record, leases, rows, shardCounts)
    if (record.kind === 'stopped') for (const [shard, epoch] of leases) rows.stopped(shard, epoch)
    if (record.atMs - toldMs < PROGRESS_EVERY_MS) continue
    toldMs = record.atMs
    onProgress?.(record.atMs)
    if (record.atMs >= range.toMs + SETTLES_WITHIN_MS && open().length === 0) break
  }
  stillOpen.push(...open())
  return records
}

function openGaps(
  recording: Recording,
  range: TimeRange,
  ofMarket: (venue: string, marketId: string) => string,
): OpenGap[] {
  return [...recording.markets.values()].flatMap(({ market: { id, venue, captureIntervalMs } }) => {
    const slot = recording.openGapSince(id)
    if (slot === undefined || slotTimeMs(slot, captureIntervalMs) >= range.toMs) return []
    const shard = ofMarket(venue, id)
    return [{ id, shard, epoch: recording.epochOf(shard) ?? Number.POSITIVE_INFINITY }]
  })
}

function noteTick(
  { body, venue }: RawRecord,
  leases: ReadonlyMap<string, number>,
  rows: RebuiltRows,
  shardCounts: ReadonlyMap<string, number>,
): void {
  const { tickMs } = JSON.parse(body.toString()) as { tickMs: number }
  const shards = new Set(shardsOf(venue, shardCounts.get(venue) ?? 0))
  for (const [shard, epoch] of leases) {
    if (!shards.has(shard))
      throw new RawIsIncomplete(
        `The recorders had shard ${shard}, but ${venue} has ${shards.size} shards now. Set ${venue.toUpperCase()}_SHARDS to the number that they had.`,
      )
    rows.ticked(shard, epoch, tickMs)
  }
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

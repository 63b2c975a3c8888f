import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { RawRecord } from '../../src/domain/raw-record.ts'
import { FolderStore } from '../../src/objects/folder-store.ts'
import type { ReadRecord } from '../../src/raw/block-builder.ts'
import { RawArchive, type RawArchiveOptions } from '../../src/raw/raw-archive.ts'
import { rawMetrics } from '../../src/raw/raw-metrics.ts'
import { type MissingTime, type RawRange, RawReader } from '../../src/raw/raw-reader.ts'
import type { SegmentPlace } from '../../src/raw/stored-segments.ts'

export const START_MS = Date.parse('2027-01-31T23:58:00Z')
export const EVERYTHING: RawRange = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/** A raw archive in an empty folder, with what a test needs to look into it. */
export class RawBench implements Disposable {
  readonly folder: string
  readonly metrics = rawMetrics(new Registry())
  readonly log = pino({ level: 'silent' })
  readonly missing: MissingTime[] = []
  readonly place: SegmentPlace

  constructor(folder = mkdtempSync(join(tmpdir(), 'bookreel-raw-'))) {
    this.folder = folder
    this.place = { name: 'folder', store: new FolderStore(folder), prefix: '' }
  }

  open(options: Partial<RawArchiveOptions> = {}): RawArchive {
    const { folder, log, metrics } = this
    return new RawArchive({ folder, recorder: 'host-1-abc', minFreeBytes: 0, log, metrics, ...options })
  }

  reader(...places: SegmentPlace[]): RawReader {
    return new RawReader(places.length > 0 ? places : [this.place], (span) => this.missing.push(span))
  }

  async read(range = EVERYTHING, reader = this.reader()): Promise<ReadRecord[]> {
    const records: ReadRecord[] = []
    for (const segments of (await reader.segments(range)).values())
      records.push(...(await Array.fromAsync(reader.read(segments, range))))
    return records
  }

  /** Paths of all files, relative to the folder, sorted. */
  files(): string[] {
    const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(this.folder.length + 1))
      .toSorted()
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Records of several kinds, one a millisecond; the bodies look like frames and are all different. */
export function someRecords(count: number, fromMs = START_MS): RawRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const text = `{"event_type":"price_change","market":"m${index % 7}","price":"0.${index}","text":"š€ ${index * 7919}"}`
    const kind = index % 50 === 0 ? 'tick' : 'frame'
    const venue = kind === 'tick' ? '' : 'polymarket'
    return {
      kind,
      atMs: fromMs + index + 0.25,
      venue,
      stream: kind === 'tick' ? '' : `socket ${index % 3}`,
      body: index % 2 === 0 ? text : Buffer.from(text),
    }
  })
}

export function texts(records: readonly RawRecord[]): string[] {
  return records.map(({ kind, atMs, venue, stream, body }) => [kind, atMs, venue, stream, body.toString()].join('|'))
}

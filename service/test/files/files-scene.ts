import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { archive, madeMarket, madeRow, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { DAY_MS } from '../../src/domain/day-file.ts'
import type { Market } from '../../src/domain/market.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { currentSchema, type RowTable } from '../../src/domain/rows/row-table.ts'
import type { Snapshot } from '../../src/domain/rows/snapshot.ts'
import { FolderStore } from '../../src/objects/folder-store.ts'
import { rowInserter } from '../../src/stores/books/row-inserter.ts'
import { fileDays } from '../../src/stores/files/file-days.ts'
import { Files, type NewFile, objectKeyOf } from '../../src/stores/files/files.ts'
import { proofOf } from '../../src/venue-registry.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'
import type { FilesDeps } from '../../src/workers/files.ts'
import { readParquet } from '../http/read-parquet.ts'

/** A day that has ended long enough ago. */
export const DAY = Math.floor(WORLD_NOW_MS / DAY_MS) * DAY_MS - 3 * DAY_MS
export const INTERVAL_MS = 3_000
const WINDOW_MS = 300_000

/** Markets with rows on one past day, and what is needed to make their files. */
export class FilesScene implements AsyncDisposable {
  readonly service: TestService
  readonly folder: string
  readonly made: NewFile[] = []
  readonly postponed: string[] = []
  readonly failed: unknown[] = []

  private constructor(service: TestService, folder: string) {
    this.service = service
    this.folder = folder
  }

  static async open(settings: Readonly<Record<string, string>> = {}): Promise<FilesScene> {
    const folder = mkdtempSync(join(tmpdir(), 'bookreel-files-test-'))
    const objects = { OBJECT_STORE_URL: `file://${join(folder, 'objects')}` }
    return new FilesScene(await TestService.start({ settings: { ...objects, ...settings } }), folder)
  }

  get objects(): FolderStore {
    return new FolderStore(join(this.folder, 'objects'))
  }

  deps(changed: Partial<FilesDeps> = {}): FilesDeps {
    const { stores, access, nowMs } = this.service
    return {
      clickhouse: stores.clickhouse,
      days: fileDays(stores.clickhouse, { proofOf, nowMs }),
      files: new Files(access.database),
      recountedAtMs: new Map(),
      objects: this.objects,
      folder: this.folder,
      nowMs,
      meter: {
        made: (file) => this.made.push(file),
        postponed: (subject, _dayMs, reason) => this.postponed.push(`${subject} ${reason}`),
        failed: (error) => this.failed.push(error),
      },
      ...changed,
    }
  }

  async store(markets: readonly Market[], rows: readonly Snapshot[]): Promise<void> {
    await storeFacts(this.service, markets)
    await archive(this.service, rows)
  }

  /** Adds rows of any table. */
  async insert<Row>(
    table: RowTable,
    write: (writer: RowWriter, row: Row) => void,
    rows: readonly Row[],
  ): Promise<void> {
    const writer = new RowWriter()
    for (const row of rows) write(writer, row)
    const client = openClickHouse(this.service.config)
    await rowInserter(client).insertRaw(table, currentSchema(table), [writer.take()])
    await client.close()
  }

  /** Stops merges of these tables, so that ClickHouse keeps rows that were inserted twice. */
  async keepRepeats(tables: readonly RowTable[]): Promise<void> {
    const client = openClickHouse(this.service.config)
    for (const table of tables) await client.command({ query: `SYSTEM STOP MERGES ${table}` })
    await client.close()
  }

  /** The rows of the newest revision of a file of the day. */
  async rowsOf(subject: string): Promise<Record<string, unknown>[]> {
    return readParquet(await this.objects.get(objectKeyOf(this.newest(subject))))
  }

  newest(subject: string): NewFile {
    const found = this.made.findLast((file) => file.subject === subject && file.dayMs === DAY)
    if (found === undefined) throw new Error(`the file ${subject} was not made`)
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Windows of BTC 5m from the start of the day on. */
export function windowsOf(count: number): Market[] {
  return Array.from({ length: count }, (_, index) => {
    const startsAtMs = DAY + index * WINDOW_MS
    return madeMarket(`btc-${index}`, {
      subcategory: 'BTC',
      timeframe: '5m',
      captureIntervalMs: INTERVAL_MS,
      startsAtMs,
      endsAtMs: startsAtMs + WINDOW_MS,
    })
  })
}

/** A row in each slot from the start to the end of the market, except those that `isLost` selects. */
export function rowsOf(market: Market, isLost: (slot: number) => boolean = () => false): Snapshot[] {
  const { startsAtMs = 0, endsAtMs } = market
  const rows: Snapshot[] = []
  for (let atMs = startsAtMs; atMs < endsAtMs; atMs += INTERVAL_MS) {
    const offset = (atMs - startsAtMs) / INTERVAL_MS
    const bid = 4_000 + (offset % 100) * 10
    const up = { bids: [{ price: bid, size: 10_000_000 + offset }], asks: [{ price: bid + 200, size: 5_000_000 }] }
    if (!isLost(offset)) rows.push(madeRow(market, { atMs, up, spotUsd: 60_000 + offset }))
  }
  return rows
}

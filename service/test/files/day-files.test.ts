import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../../src/domain/day-file.ts'
import { HOUR_MS } from '../../src/domain/finished-hour.ts'
import type { Gap } from '../../src/domain/rows/gap.ts'
import { writeGap } from '../../src/domain/rows/gap.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { currentSchema } from '../../src/domain/rows/row-table.ts'
import { FolderStore } from '../../src/objects/folder-store.ts'
import { correctHour } from '../../src/stores/books/correct-hour.ts'
import { Corrections } from '../../src/stores/books/corrections.ts'
import { HourFiles } from '../../src/stores/books/hour-files.ts'
import { rowInserter } from '../../src/stores/books/row-inserter.ts'
import { type NewFile, objectKeyOf } from '../../src/stores/files/files.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'
import { makeDueFiles } from '../../src/workers/files.ts'
import { makeFile } from '../../src/workers/make-file.ts'
import { readParquet } from '../http/read-parquet.ts'
import { DAY, FilesScene, INTERVAL_MS, rowsOf, windowsOf } from './files-scene.ts'

const WINDOWS = 288
const SLOTS = 100
const never = new AbortController().signal
const windows = windowsOf(WINDOWS)
const other = madeMarket('other', {
  timeframe: 'hit-price',
  captureIntervalMs: INTERVAL_MS,
  startsAtMs: DAY,
  endsAtMs: DAY + HOUR_MS,
})
let scene: FilesScene

beforeAll(async () => {
  scene = await FilesScene.open()
  const isLost = (offset: number): boolean => offset === 20 || offset === 21
  await scene.store(
    [...windows, other],
    [...windows.flatMap((market, index) => rowsOf(market, index === 7 ? isLost : undefined)), ...rowsOf(other)],
  )
  await putGaps([gapOf(7, 20, 21), gapOf(7, 30, 33, 'suspect'), gapOf(9, 5, 5, 'suspect')])
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

function gapOf(window: number, from: number, to: number, kind: Gap['kind'] = 'missing'): Gap {
  const { id: marketId = '', startsAtMs = 0 } = windows[window] ?? {}
  const first = startsAtMs / INTERVAL_MS
  const cause = kind === 'missing' ? 'disconnected' : 'hash_mismatch'
  const slots = { fromSlot: first + from, toSlot: first + to, knownAtSlot: first + from }
  return { marketId, ...slots, cause, kind, intervalMs: INTERVAL_MS, detail: '' }
}

async function putGaps(gaps: readonly Gap[]): Promise<void> {
  const writer = new RowWriter()
  for (const gap of gaps) writeGap(writer, gap)
  const client = openClickHouse(scene.service.config)
  await rowInserter(client).insertRaw('gaps', currentSchema('gaps'), [writer.take()])
  await client.close()
}

async function rowsIn(file: NewFile) {
  return readParquet(await scene.objects.get(objectKeyOf(file)))
}

/** The rows of every hour of a window, from the files of the hours. */
async function hourRows(hours: HourFiles, index: number) {
  const market = windows[index]
  if (market === undefined) throw new Error(`there is no window ${index}`)
  const { id: marketId, tokenIds, startsAtMs = 0 } = market
  const suspect = [gapOf(7, 30, 33, 'suspect'), gapOf(9, 5, 5, 'suspect')].filter((gap) => gap.marketId === marketId)
  const hourMs = Math.floor(startsAtMs / HOUR_MS) * HOUR_MS
  const about = { marketId, tokenIds, proof: 'hash', intervalMs: INTERVAL_MS, hourMs, revision: 1, suspect } as const
  const { path } = await hours.get(about)
  return readParquet(await readFile(path))
}

async function seriesFile(): Promise<NewFile> {
  const found = scene.made.findLast(({ kind }) => kind === 'series')
  if (found === undefined) throw new Error('the file of the series was not made')
  return found
}

test('one file has a day of all windows of a series, another one the other market', async () => {
  await makeDueFiles(scene.deps(), never)
  expect(scene.failed).toEqual([])
  expect(scene.postponed).toEqual([])
  const books = scene.made.filter(({ kind }) => kind !== 'gaps')
  expect(books.map(({ subject, kind, rows }) => [subject, kind, rows])).toEqual([
    [other.id, 'market', 2 * 1_200],
    ['polymarket-btc-5m', 'series', 2 * (WINDOWS * SLOTS - 2)],
  ])
  expect(await seriesFile()).toMatchObject({
    firstAtMs: DAY,
    lastAtMs: DAY + DAY_MS - INTERVAL_MS,
    revision: 1,
    gaps: [
      { cause: 'disconnected', kind: 'missing', gaps: 1, slots: 2 },
      { cause: 'hash_mismatch', kind: 'suspect', gaps: 2, slots: 5 },
    ],
  })
})

test('its rows are those of the hours, by market and slot', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bookreel-hours-'))
  const hours = new HourFiles({ clickhouse: scene.service.stores.clickhouse, folder, maxBytes: 1e9 })
  const byId = windows.map(({ id }, index) => ({ id, index })).toSorted((one, two) => (one.id < two.id ? -1 : 1))
  const expected = []
  for (const { index } of byId) expected.push(...(await hourRows(hours, index)))
  const rows = await rowsIn(await seriesFile())
  expect(rows.length).toBe(expected.length)
  expect(rows).toEqual(expected)
  await rm(folder, { recursive: true })
})

test('the same rows give the same bytes, and nothing is made twice', async () => {
  const { sha256, bytes } = await seriesFile()
  const { subjects } = await scene.deps().days.subjectsOf(DAY)
  const subject = subjects.find(({ kind }) => kind === 'series')
  if (subject === undefined) throw new Error('there is no series')
  const folder = await mkdtemp(join(tmpdir(), 'bookreel-again-'))
  const again = await makeFile(scene.deps({ objects: new FolderStore(folder) }), { subject, revision: 1 }, never)
  expect(again).toMatchObject({ sha256, bytes })
  await rm(folder, { recursive: true })

  const count = scene.made.length
  await makeDueFiles(scene.deps(), never)
  expect(scene.made.length).toBe(count)
  await expect(sql`UPDATE files SET sha256 = sha256`.execute(scene.service.access.database)).rejects.toThrow(
    'entries of files never change',
  )
  await expect(sql`DELETE FROM files`.execute(scene.service.access.database)).rejects.toThrow('never change')
})

test('a corrected hour makes a new revision of its file only; the old entry and object stay', async () => {
  const { database } = scene.service.access
  const first = await seriesFile()
  const market = windows[3]
  if (market === undefined) throw new Error('there is no window')
  const corrections = new Corrections(database)
  const hour = {
    marketId: market.id,
    hourMs: DAY,
    snapshots: rowsOf(market).map((row) => ({ ...row, capturedAtMs: row.capturedAtMs + 1 })),
    gaps: [],
    trades: [],
  }
  const begun = await corrections.begin(hour, 'a test', { snapshots: 0, gaps: 0, trades: 0 })
  await makeDueFiles(scene.deps(), never)
  expect((await seriesFile()).revision).toBe(1)
  const client = openClickHouse(scene.service.config)
  await correctHour({ clients: [client], form: { kind: 'single' } }, corrections, hour, 'a test')
  await client.close()
  expect(begun).toBe(2)

  scene.made.length = 0
  await makeDueFiles(scene.deps(), never)
  expect(scene.made).toMatchObject([
    { subject: 'polymarket-btc-5m', revision: 2, rows: first.rows, corrections: 1 },
    { subject: 'polymarket-gaps', revision: 2, corrections: 1 },
  ])
  expect((await seriesFile()).sha256).not.toBe(first.sha256)
  expect(await scene.objects.head(objectKeyOf(first))).toMatchObject({ bytes: first.bytes })
  await makeDueFiles(scene.deps(), never)
  expect(scene.made.length).toBe(2)
})

test('rows and markets that are stored after the file was made are in a new revision', async () => {
  const before = await seriesFile()
  const [first] = windows
  if (first === undefined) throw new Error('there is no window')
  const late = madeMarket('late window', { ...first, id: `0x${'c'.repeat(64)}`, slug: 'late-window' })
  const rows = rowsOf(late)
  await scene.store([late], rows)
  const recountedAtMs = new Map<number, number>()
  scene.made.length = 0
  await makeDueFiles(scene.deps({ nowMs: () => DAY + DAY_MS + 49 * HOUR_MS, recountedAtMs }), never)
  expect(scene.made).toEqual([])
  const inTime = scene.deps({ nowMs: () => DAY + DAY_MS + 47 * HOUR_MS, recountedAtMs })
  await makeDueFiles(inTime, never)
  expect(scene.made.map(({ subject, revision, rows: count }) => [subject, revision, count])).toEqual([
    ['polymarket-btc-5m', before.revision + 1, before.rows + 2 * rows.length],
    // It notes which markets it is about.
    ['polymarket-gaps', 3, 3],
  ])
  await makeDueFiles(scene.deps({ nowMs: () => DAY + DAY_MS + 47 * HOUR_MS }), never)
  expect(scene.made.length).toBe(2)
})

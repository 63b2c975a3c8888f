import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sealAbandoned } from '../../src/raw/seal-abandoned.ts'
import { readSegmentKey, recorderName, segmentKey } from '../../src/raw/segment-name.ts'
import { SmallDisk } from '../faults/small-disk.ts'
import { RawBench, START_MS, someRecords, texts } from './raw-bench.ts'

/** Many small blocks and segments. */
const SMALL = { blockBytes: 4_096, segmentBytes: 8_192 }

test('everything appended is read again, byte for byte and in order, from segments whose names sort by time', async () => {
  using bench = new RawBench()
  const archive = bench.open({ limits: SMALL })
  const records = someRecords(3_000)
  for (const record of records) archive.append(record)
  await archive.close()
  expect(texts(await bench.read())).toEqual(texts(records))
  const names = bench.files().map(readSegmentKey)
  expect(names.length).toBeGreaterThan(3)
  expect(names.map((name) => name?.number)).toEqual(names.map((_, index) => index + 1))
  expect(names.every((name) => name?.endMs !== undefined)).toBe(true)
  expect(bench.missing).toEqual([])
  const reader = bench.reader()
  const [segments = []] = (await reader.segments({ fromMs: 0, toMs: Number.POSITIVE_INFINITY })).values()
  const indexes = await Promise.all(segments.map((segment) => reader.index(segment)))
  expect(indexes.reduce((sum, index) => sum + (index?.records ?? 0), 0)).toBe(3_000)
  expect(indexes.reduce((sum, index) => sum + (index?.kinds.tick ?? 0), 0)).toBe(60)
  expect(indexes.reduce((sum, index) => sum + (index?.venues.polymarket ?? 0), 0)).toBe(2_940)
  for (const segment of segments) expect(await reader.verify(segment)).toBeUndefined()
})

test('a range gives the records from its start up to its end, and reads only the segments that it needs', async () => {
  using bench = new RawBench()
  const archive = bench.open({ limits: SMALL })
  const records = someRecords(3_000)
  for (const record of records) archive.append(record)
  await archive.close()
  const range = { fromMs: START_MS + 1_000, toMs: START_MS + 1_500 }
  expect(texts(await bench.read(range))).toEqual(texts(records.slice(1_000, 1_500)))
  const [segments = []] = (await bench.reader().segments(range)).values()
  expect(segments.length).toBeLessThan(bench.files().length / 2)
})

test('a segment ends after its time even when it is small, and a record larger than a block is kept whole', async () => {
  using bench = new RawBench()
  const archive = bench.open({ limits: { blockBytes: 4_096, segmentMs: 60_000 } })
  const large = { kind: 'rest', venue: 'polymarket', stream: '/books', body: 'b'.repeat(100_000) }
  for (const minute of [0, 1, 2]) {
    archive.append({ ...large, atMs: START_MS + minute * 60_000 })
    await archive.flush()
  }
  await archive.close()
  expect((await bench.read()).map(({ body }) => body.length)).toEqual([100_000, 100_000, 100_000])
  expect(bench.files().map((file) => readSegmentKey(file)?.number)).toEqual([1, 2])
})

test('while a segment is written, and after a crash, every complete block can be read; later it is sealed', async () => {
  using bench = new RawBench()
  const archive = bench.open({ limits: { blockBytes: 4_096 } })
  const records = someRecords(500)
  for (const record of records) archive.append(record)
  await archive.flush()
  expect(texts(await bench.read())).toEqual(texts(records))
  const [file = ''] = bench.files()
  expect(file).toContain('_open_')
  const path = join(bench.folder, file)
  // The last block is not complete.
  truncateSync(path, readFileSync(path).length - 100)
  const readable = texts(await bench.read())
  expect(readable.length).toBeGreaterThan(400)
  expect(readable).toEqual(texts(records).slice(0, readable.length))
  expect(bench.missing).toEqual([])

  const { mtimeMs } = statSync(path)
  await sealAbandoned(bench.place, bench.folder, mtimeMs)
  expect(bench.files()).toEqual([file])
  await sealAbandoned(bench.place, bench.folder, mtimeMs + 600_000)
  expect(bench.files()).toHaveLength(1)
  expect(bench.files()[0]).not.toContain('_open_')
  expect(texts(await bench.read())).toEqual(readable)
  const [[segment] = []] = (await bench.reader().segments({ fromMs: 0, toMs: Number.POSITIVE_INFINITY })).values()
  if (segment === undefined) throw new Error('no segment')
  expect(await bench.reader().verify(segment)).toBeUndefined()
})

test('a damaged block is skipped: the message names the time that is missing, and the rest is read', async () => {
  using bench = new RawBench()
  const archive = bench.open({ limits: { blockBytes: 4_096 } })
  const records = someRecords(500)
  for (const record of records) archive.append(record)
  await archive.close()
  const [file = ''] = bench.files()
  const path = join(bench.folder, file)
  const bytes = readFileSync(path)
  const middle = Math.floor(bytes.length / 2)
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 0xff, middle)
  writeFileSync(path, bytes)
  const read = await bench.read()
  const [missing, ...others] = bench.missing
  expect(others).toEqual([])
  if (missing === undefined) throw new Error('nothing is reported as missing')
  const { fromMs, toMs, reason } = missing
  expect(reason).toContain(`${file} is damaged at byte`)
  expect(texts(read)).toEqual(texts(records.filter(({ atMs }) => atMs <= fromMs || atMs >= toMs)))
  expect(read.length).toBeGreaterThan(300)
  expect(read.length).toBeLessThan(500)
  const [[segment] = []] = (await bench.reader().segments({ fromMs: 0, toMs: Number.POSITIVE_INFINITY })).values()
  if (segment === undefined) throw new Error('no segment')
  expect(await bench.reader().verify(segment)).toMatch(/^damaged: \d+ bytes at \d+$/)
})

test('a disk that is too slow: memory is bounded, dropped records are counted, and readers are told', async () => {
  using bench = new RawBench()
  const archive = bench.open({ limits: { blockBytes: 4_096, queueBytes: 16_384 } })
  const records = someRecords(1_000)
  for (const record of records) archive.append(record)
  const dropped = await droppedBy(bench, 'disk_slow')
  expect(dropped).toBeGreaterThan(700)
  await archive.flush()
  const last = { kind: 'frame', atMs: START_MS + 2_000, venue: 'polymarket', stream: 'socket 0', body: 'last' }
  archive.append(last)
  await archive.close()
  const read = await bench.read()
  const kept = 1_000 - dropped
  expect(texts(read.slice(0, kept))).toEqual(texts(records.slice(0, kept)))
  expect(read.slice(kept).map(({ kind }) => kind)).toEqual(['dropped', 'frame'])
  expect(JSON.parse(read[kept]?.body.toString() ?? '')).toEqual({
    records: dropped,
    fromMs: records[kept]?.atMs,
    toMs: records[999]?.atMs,
    reason: 'disk_slow',
  })
})

test('a full disk: the archive pauses and counts, and resumes by itself when there is space', async () => {
  using disk = new SmallDisk(4)
  const bench = new RawBench(disk.folder)
  const archive = bench.open({ minFreeBytes: 1_000_000, limits: { ...SMALL, retryMs: 20 } })
  const before = someRecords(100)
  for (const record of before) archive.append(record)
  await archive.flush()
  disk.fill()
  const lost = someRecords(300, START_MS + 10_000)
  for (const record of lost) archive.append(record)
  await expect.poll(() => droppedBy(bench, 'disk_full')).toBe(300)
  disk.makeRoom()
  const paused = async () => (await bench.metrics.paused.get()).values[0]?.value
  await expect.poll(paused).toBe(0)
  const after = someRecords(100, START_MS + 20_000)
  for (const record of after) archive.append(record)
  await archive.close()
  const read = await bench.read()
  expect(texts(read.filter(({ kind }) => kind !== 'dropped'))).toEqual(texts([...before, ...after]))
  const told = read.filter(({ kind }) => kind === 'dropped').map(({ body }) => JSON.parse(body.toString()))
  expect(told).toEqual([
    { records: 300, fromMs: START_MS + 10_000.25, toMs: START_MS + 10_299.25, reason: 'disk_full' },
  ])
})

test('names: what is written can be read, and other files are no segments', () => {
  const recorder = recorderName('host.example:17')
  expect(recorder).toMatch(/^host\.example-17-[0-9a-f]{6}$/)
  const name = { recorder, number: 12, startMs: START_MS, endMs: START_MS + 61_001 }
  expect(segmentKey(name)).toBe(`2027-01-31/23/20270131T235800000Z_20270131T235901001Z_${recorder}_000012.brz`)
  expect(readSegmentKey(segmentKey(name))).toEqual(name)
  expect(readSegmentKey(segmentKey({ ...name, endMs: undefined }))).toEqual({ ...name, endMs: undefined })
  expect(readSegmentKey('2027-01-31/23/notes.txt')).toBeUndefined()
})

async function droppedBy(bench: RawBench, reason: string): Promise<number> {
  const { values } = await bench.metrics.dropped.get()
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0
}

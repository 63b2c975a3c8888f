import { pathToFileURL } from 'node:url'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addRawCommands } from '../../src/commands/raw.ts'
import { readConfig } from '../../src/config.ts'
import { RawKeeper, type RawKeeperOptions } from '../../src/raw/raw-keeper.ts'
import { RAW_PREFIX, type SegmentPlace, segmentsIn } from '../../src/raw/stored-segments.ts'
import { S3Server } from '../objects/s3-server.ts'
import { RawBench, someRecords, texts } from './raw-bench.ts'

const HOUR_MS = 3_600_000
const server = new S3Server('raw-archive')
let remote: SegmentPlace

beforeAll(async () => {
  await server.start()
  remote = { name: 'object_storage', store: await server.open(), prefix: RAW_PREFIX }
})
afterAll(() => server[Symbol.asyncDispose]())

/** Writes one segment for each age. */
async function writeSegments(bench: RawBench, agesMs: readonly number[]): Promise<void> {
  const archive = bench.open({ limits: { segmentBytes: 1 } })
  for (const ageMs of agesMs) {
    for (const record of someRecords(100, WORLD_NOW_MS - ageMs)) archive.append(record)
    await archive.flush()
  }
  await archive.close()
}

function keeperOf(bench: RawBench, options: Partial<RawKeeperOptions>): RawKeeper {
  const { folder, log, metrics, place: local } = bench
  const limits = { keepMs: 72 * HOUR_MS, keepLocalMs: 72 * HOUR_MS, maxBytes: 1e9 }
  const nowMs = (): number => WORLD_NOW_MS
  return new RawKeeper({ local, remote: undefined, ...limits, nowMs, folder, log, metrics, ...options })
}

async function emptyRemote(): Promise<void> {
  for (const { key } of await segmentsIn(remote)) await remote.store.delete(`${RAW_PREFIX}${key}`)
}

test('segments are uploaded once object storage answers, read from there, and deleted from the folder after their time', async () => {
  using bench = new RawBench()
  await writeSegments(bench, [3 * HOUR_MS, 2 * HOUR_MS, 60_000])
  const before = texts(await bench.read())
  const keeper = keeperOf(bench, { remote, keepLocalMs: HOUR_MS })
  await server.stop()
  await keeper.sweep()
  expect((await bench.metrics.uploadFailures.get()).values[0]?.value).toBe(1)
  expect(bench.files()).toHaveLength(3)

  await server.start()
  await keeper.sweep()
  expect(await segmentsIn(remote)).toHaveLength(3)
  expect((await bench.metrics.waiting.get()).values[0]?.value).toBe(0)
  expect(bench.files()).toHaveLength(1)
  expect(texts(await bench.read(undefined, bench.reader(bench.place, remote)))).toEqual(before)
  expect(bench.missing).toEqual([])
  for (const segment of await segmentsIn(remote)) {
    expect(await bench.reader().verify(segment)).toBeUndefined()
    expect(await bench.reader().index(segment)).toMatchObject({ records: 100 })
  }
  await emptyRemote()
})

test('segments older than RAW_KEEP_HOURS are deleted in the folder and in object storage', async () => {
  using bench = new RawBench()
  await writeSegments(bench, [80 * HOUR_MS, 73 * HOUR_MS, 71 * HOUR_MS])
  await keeperOf(bench, { remote, keepMs: 79 * HOUR_MS }).sweep()
  expect(await segmentsIn(remote)).toHaveLength(2)
  await keeperOf(bench, { remote }).sweep()
  expect(bench.files()).toHaveLength(1)
  expect(await segmentsIn(remote)).toHaveLength(1)
  await emptyRemote()
})

test('above RAW_MAX_BYTES the oldest are deleted first, and those that were never uploaded are counted', async () => {
  using bench = new RawBench()
  await writeSegments(bench, [4 * HOUR_MS, 3 * HOUR_MS, 2 * HOUR_MS, HOUR_MS])
  const files = bench.files()
  const bytes = (await segmentsIn(bench.place)).reduce((sum, segment) => sum + segment.bytes, 0)
  await server.stop()
  await keeperOf(bench, { remote, maxBytes: bytes - 1 }).sweep()
  expect(bench.files()).toEqual(files.slice(1))
  expect((await bench.metrics.lost.get()).values[0]?.value).toBe(1)
  await server.start()
  await keeperOf(bench, { remote, maxBytes: bytes * 0.6 }).sweep()
  expect(bench.files()).toEqual(files.slice(2))
  expect((await segmentsIn(remote)).map(({ key }) => key)).toEqual(files.slice(2))
  await emptyRemote()
})

test('raw list, raw cat and raw verify read the folder and object storage', async () => {
  using bench = new RawBench()
  using other = new RawBench()
  await writeSegments(bench, [HOUR_MS, 60_000])
  const out: string[] = []
  const run = async (...args: string[]): Promise<string[]> => {
    const tools = {
      name: 'bookreel-server',
      print: (line: string) => out.push(line),
      complain: (line: string) => out.push(line),
    }
    const program = new Command().exitOverride()
    addRawCommands(program, { ...tools, readConfig: async () => config })
    out.length = 0
    await program.parseAsync(['raw', ...args], { from: 'user' })
    return [...out]
  }
  const engines = {
    CLICKHOUSE_URL: 'http://127.0.0.1',
    CLICKHOUSE_USER: '',
    CLICKHOUSE_PASSWORD: '',
    NATS_URL: '',
    DATABASE_URL: '',
    REDIS_URL: '',
  }
  const config = readConfig({ ...engines, RAW_DIR: bench.folder, OBJECT_STORE_URL: pathToFileURL(other.folder).href })
  expect(await run('verify')).toEqual(['Segments: 2 are sound, 0 are not.'])
  for (const command of ['list', 'verify', 'cat'])
    await expect(run(command, '--to', '2020-01-01T00:00:00Z')).rejects.toThrow('There are no segments of this time.')
  const list = await run('list', '--json')
  expect(list.map((line) => JSON.parse(line))).toMatchObject([
    { records: 100, kinds: { frame: 98, tick: 2 }, venues: { polymarket: 98 }, place: 'folder' },
    { records: 100 },
  ])
  const lines = await run(
    'cat',
    '--from',
    new Date(WORLD_NOW_MS - 600_000).toISOString(),
    '--market',
    '"m3"',
    '--kind',
    'frame',
  )
  expect(lines).toHaveLength(14)
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({
      venue: 'polymarket',
      kind: 'frame',
      text: expect.stringContaining('"m3"'),
    })
  expect(await run('cat', '--venue', 'hyperliquid')).toEqual([])
})

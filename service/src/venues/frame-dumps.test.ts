import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FrameDumps } from './frame-dumps.ts'
import { FrameRing } from './frame-ring.ts'

async function open(mostFiles = 10, place = '') {
  const folder = await mkdtemp(join(tmpdir(), 'bookreel-dumps-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const clock = { nowMs: Date.parse('2026-11-15T05:00:00Z') }
  const results: string[] = []
  const dumps = new FrameDumps({
    folder: join(folder, place),
    mostFiles,
    nowMs: () => clock.nowMs,
    onWritten: ({ reason }) => results.push(reason),
    onFailed: (error) => results.push(String(error)),
  })
  const ring = new FrameRing()
  ring.keep(Buffer.from('one'), 1)
  ring.keep(Buffer.from('two'), 2)
  const give = (socket: string, reason: string): void => dumps.dump(ring, { venue: 'tiny', socket, reason })
  const files = async (): Promise<string[]> => {
    await dumps.settled()
    return (await readdir(join(folder, place))).sort()
  }
  return { folder, clock, results, give, files, dumps }
}

test('a dump names time, venue, socket and reason, and holds every frame with its time of receipt', async () => {
  const { folder, give, files } = await open()
  give('3', 'hash_mismatch')
  expect(await files()).toEqual(['2026-11-15T05-00-00.000Z_tiny_3_hash_mismatch.jsonl'])
  const text = await readFile(join(folder, '2026-11-15T05-00-00.000Z_tiny_3_hash_mismatch.jsonl'), 'utf8')
  expect(text).toBe('{"receivedAtMs":1,"text":"one"}\n{"receivedAtMs":2,"text":"two"}\n')
})

test('each socket is dumped at most once a minute', async () => {
  const { clock, give, files, results } = await open()
  for (const atMs of [0, 1_000, 59_999]) {
    clock.nowMs = Date.parse('2026-11-15T05:00:00Z') + atMs
    give('1', 'first')
    give('2', 'second')
  }
  expect(await files()).toHaveLength(2)
  clock.nowMs += 1
  give('1', 'third')
  expect(await files()).toHaveLength(3)
  expect(results).toEqual(['first', 'second', 'third'])
})

test('only the newest files are kept', async () => {
  const { clock, give, files } = await open(3, 'made/when/needed')
  for (let count = 0; count < 5; count++) {
    clock.nowMs += 60_000
    give('1', `number-${count}`)
  }
  const reasons = (await files()).map((name) => name.split('_').at(-1))
  expect(reasons).toEqual(['number-2.jsonl', 'number-3.jsonl', 'number-4.jsonl'])
})

test('a dump that cannot be written is reported, and the next one is tried', async () => {
  const { folder, clock, give, dumps, results } = await open(3, 'file/below')
  await writeFile(join(folder, 'file'), '')
  give('1', 'lost')
  await dumps.settled()
  expect(results).toEqual([expect.stringMatching(/ENOTDIR|EEXIST/)])
  await rm(join(folder, 'file'))
  clock.nowMs += 60_000
  give('1', 'kept')
  await dumps.settled()
  expect(results[1]).toBe('kept')
})

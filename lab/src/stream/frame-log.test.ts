import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FrameLog } from './frame-log.ts'
import type { FrameText } from './frame-text.ts'

const frame = (seq: number, text = `book ${seq}`): FrameText => ({
  market: 'm',
  channel: 'book',
  type: 'snapshot',
  seq,
  text,
})

async function heard(...frames: FrameText[]): Promise<FrameLog> {
  const folder = await mkdtemp(join(tmpdir(), 'bookreel-lab-'))
  const log = await FrameLog.open(join(folder, 'frames'))
  onTestFinished(async () => {
    await log[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  for (const each of frames) log.record(each)
  return log
}

test('identical frames are equal', async () => {
  const log = await heard(frame(1), frame(2))
  log.meet(frame(1))
  log.meet(frame(2))
  await log.finish()
  expect(log.counts).toMatchObject({ recorded: 2, equal: 2, different: 0, missing: 0, extra: 0 })
})

test('missing, additional and changed frames are distinguished, with both texts', async () => {
  const log = await heard(frame(1), frame(2), frame(3), frame(4))
  log.meet(frame(1))
  log.meet(frame(3, 'another 3'))
  log.meet(frame(9))
  await log.finish()
  expect(log.counts).toMatchObject({ equal: 1, different: 1, missing: 2, extra: 1 })
  expect(log.differences).toEqual([
    { kind: 'missing', track: 'book m', key: '2', live: 'book 2' },
    { kind: 'different', track: 'book m', key: '3', live: 'book 3', replayed: 'another 3' },
    { kind: 'extra', track: 'book m', key: '9', replayed: 'book 9' },
    { kind: 'missing', track: 'book m', key: '4', live: 'book 4' },
  ])
})

test('frames in another order differ', async () => {
  const log = await heard(frame(1), frame(2))
  log.meet(frame(2))
  log.meet(frame(1))
  await log.finish()
  expect(log.counts).toMatchObject({ equal: 1, missing: 1, extra: 1 })
})

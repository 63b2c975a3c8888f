// Nightly: a recorder follows simulated sockets in real time.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { expect, onTestFinished, test } from 'vitest'
import { FrameDumps } from '../../src/venues/frame-dumps.ts'
import { captureScene } from './capture-scene.ts'
import { fault, faultOff, hotMarketId, untilRows } from './capture-steps.ts'

test('F12, F17: the frames around a mismatch and around an unknown event are written to a file', async () => {
  await using stack = await borrowStack({ engines: ['nats'] })
  await using scene = await captureScene(stack)
  const folder = await mkdtemp(join(tmpdir(), 'bookreel-dumps-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const written: string[] = []
  let skippedMs = 0
  const frameDumps = new FrameDumps({
    folder,
    mostFiles: 5,
    nowMs: () => Date.now() + skippedMs,
    onWritten: ({ venue, reason, socket }) => written.push(`${venue} ${socket} ${reason}`),
    onFailed: (error) => written.push(String(error)),
  })
  const marketId = hotMarketId(scene)
  scene.start('test', { frameDumps })
  await untilRows(scene, marketId, 4)
  expect(written).toEqual([])

  // Some frames come, so that hashes fail; if all were lost, the whole book after a trade could heal it unseen.
  const drop = await fault(scene, { name: 'drop', target: { market: marketId }, rate: 0.5, times: 60 })
  await untilWritten(written, 'hash_mismatch')
  // A mismatch after the skipped minute would have the next dump, instead of the unknown event.
  await faultOff(scene, drop)
  await untilRows(scene, marketId, 4)
  skippedMs += 60_000
  await fault(scene, { name: 'unknown-event', target: { market: marketId }, times: 20 })
  await untilWritten(written, 'unknown_event')
  await untilRows(scene, marketId, 4)
  // A slow machine may move the market to another socket, which has a dump of its own.
  expect(new Set(written).size, written.join('\n')).toBe(written.length)

  const files = (await readdir(folder)).sort()
  const frames = await Promise.all(
    ['hash_mismatch', 'unknown_event'].map(async (reason) => {
      const text = await readFile(join(folder, files.find((name) => name.includes(reason)) ?? ''), 'utf8')
      return text
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { text: string }).text)
    }),
  )
  expect(frames[0]?.some((text) => text.includes(marketId) && /"hash":"[01]/.test(text))).toBe(true)
  expect(frames[0]?.[0]).toContain('"event_type":"book"')
  expect(frames[1]?.some((text) => text.includes('order_book_vibe'))).toBe(true)
})

function untilWritten(written: readonly string[], reason: string): Promise<void> {
  const reasons = (): string => written.join('\n')
  return expect.poll(reasons).toMatch(new RegExp(`^polymarket \\d+ ${reason}$`, 'm'))
}

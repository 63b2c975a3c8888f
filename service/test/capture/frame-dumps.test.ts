import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { expect, onTestFinished, test } from 'vitest'
import { FrameDumps } from '../../src/venues/frame-dumps.ts'
import { captureScene } from './capture-scene.ts'
import { fault, hotMarketId, untilRows } from './capture-steps.ts'

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
    onWritten: ({ venue, reason }) => written.push(`${venue} ${reason}`),
    onFailed: (error) => written.push(String(error)),
  })
  const marketId = hotMarketId(scene)
  scene.start('test', { frameDumps })
  await untilRows(scene, marketId, 4)
  expect(written).toEqual([])

  // Some frames come, so that hashes fail; if all were lost, the whole book after a trade could heal it unseen.
  await fault(scene, { name: 'drop', target: { market: marketId }, rate: 0.5, times: 60 })
  await expect.poll(() => written, { timeout: 60_000 }).toEqual(['polymarket hash_mismatch'])
  await untilRows(scene, marketId, 4)
  skippedMs += 60_000
  await fault(scene, { name: 'unknown-event', target: { market: marketId }, times: 20 })
  await expect
    .poll(() => written, { timeout: 60_000 })
    .toEqual(['polymarket hash_mismatch', 'polymarket unknown_event'])
  await untilRows(scene, marketId, 4)
  expect(written).toHaveLength(2)

  const texts = await Promise.all((await readdir(folder)).sort().map((name) => readFile(join(folder, name), 'utf8')))
  const frames = texts.map((text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { text: string }).text),
  )
  expect(frames[0]?.some((text) => text.includes(marketId) && /"hash":"[01]/.test(text))).toBe(true)
  expect(frames[0]?.[0]).toContain('"event_type":"book"')
  expect(frames[1]?.some((text) => text.includes('order_book_vibe'))).toBe(true)
})

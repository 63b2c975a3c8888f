// Nightly: kills engines and waits for their return.
// Covers: service/src/workers/ service/src/bus/
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gapStore } from '../../src/stores/books/gaps.ts'
import { START_MS, tickBatches } from '../bus/tick-batches.ts'
import { valuesOf } from '../clickhouse/open-clickhouse.ts'
import { type ArchiveBench, openArchiveBench, range } from './archive-bench.ts'

let bench: ArchiveBench
beforeAll(async () => {
  bench = await openArchiveBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

const AWAY_MS = 15_000
const span = { fromMs: START_MS, toMs: START_MS + 3_600_000 }

test('while ClickHouse is unavailable nothing is acknowledged or redelivered, and afterwards no row is missing', async () => {
  const batches = tickBatches({ ticks: 200, markets: 10 })
  await bench.stack.engine('clickhouse').kill()
  await bench.send(batches)
  const end = await bench.startArchive()
  await sleep(AWAY_MS)
  expect(await bench.waiting()).toBe(200)
  await bench.stack.engine('clickhouse').restart()
  await expect.poll(() => bench.waiting()).toBe(0)
  await end()
  expect(await bench.deliveries()).toBe(200)
  for (const market of [0, 9]) expect(await bench.slotsOf(market)).toEqual(range(200))
  expect(await valuesOf(bench.client, 'SELECT toUInt32(count()) FROM snapshots')).toEqual([2_000])
})

test('after repeated kills of ClickHouse and the archive every published row is stored, and is read once', async () => {
  await bench.client.command({ query: 'TRUNCATE TABLE snapshots' })
  const ticks = 500
  const sending = bench.send(tickBatches({ ticks, markets: 40, epoch: 2 }))
  for (const victim of ['archive', 'clickhouse', 'archive', 'clickhouse', 'both'] as const) {
    const before = await storedTicks()
    const archive = await bench.startArchiveProcess()
    await expect.poll(storedTicks, { interval: 5, timeout: 120_000 }).toBeGreaterThan(before)
    if (victim !== 'archive') {
      await bench.stack.engine('clickhouse').kill()
      if (victim === 'both') archive.kill('SIGKILL')
      await bench.stack.engine('clickhouse').restart()
    }
    archive.kill('SIGKILL')
  }
  await sending
  expect(await bench.waiting()).toBeGreaterThan(0)
  const end = await bench.startArchive()
  await expect.poll(() => bench.waiting()).toBe(0)
  await end()
  for (const market of [0, 13, 39]) expect(await bench.slotsOf(market)).toEqual(range(ticks))
  expect(await gapStore(bench.client).uncoveredHoles(span)).toEqual([])
  expect(await valuesOf(bench.client, 'SELECT toUInt32(uniqExact(market_id, slot)) FROM snapshots')).toEqual([
    ticks * 40,
  ])
}, 360_000)

test('after a kill and restart of the bus, reading continues where it stopped', async () => {
  await bench.client.command({ query: 'TRUNCATE TABLE snapshots' })
  const batches = tickBatches({ ticks: 120, markets: 4, epoch: 3 })
  await bench.send(batches.slice(0, 80))
  const end = await bench.startArchive({ groupMessages: 4 })
  await expect.poll(storedTicks, { interval: 5, timeout: 120_000 }).toBeGreaterThan(0)
  await bench.stack.engine('nats').kill()
  await bench.stack.engine('nats').restart()
  await expect.poll(() => bench.send(batches).then(() => 'sent', String)).toBe('sent')
  await expect.poll(() => bench.waiting()).toBe(0)
  await end()
  expect(await bench.slotsOf(3)).toEqual(range(120))
})

async function storedTicks(): Promise<number> {
  const [count] = await valuesOf(bench.client, 'SELECT toUInt32(uniqExact(slot)) FROM snapshots')
  return Number(count)
}

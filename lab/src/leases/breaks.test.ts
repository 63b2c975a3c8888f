import { expect, test } from 'vitest'
import { type Invariant, judgeScene } from './judge-scene.ts'
import { playSchedule } from './schedule.ts'
import type { Break } from './virtual-bus.ts'

const NOTICED_BY: Readonly<Record<Break, Invariant>> = {
  fence: 'one_writer',
  states: 'no_silent_hole',
  stored: 'no_duplicate',
  standby: 'no_missing_slot',
  late: 'short_gap',
  view: 'settled',
  expiry: 'settled',
}
const MOST_SCHEDULES = 30

test.each(Object.entries(NOTICED_BY))('a broken %s is noticed: %s', { timeout: 120_000 }, async (broken, invariant) => {
  const found = new Set<Invariant>()
  for (let seed = 1; seed <= MOST_SCHEDULES && !found.has(invariant); seed++) {
    const scene = await playSchedule(seed, broken as Break)
    for (const each of judgeScene(scene).keys()) found.add(each)
  }
  expect([...found]).toContain(invariant)
})

test('the same seed gives the same schedule and the same rows', { timeout: 60_000 }, async () => {
  const [one, other] = [await playSchedule(5), await playSchedule(5)]
  expect(other.troubles).toEqual(one.troubles)
  const batchesOf = ({ bus }: typeof one) =>
    bus.accepted.map(({ atMs, batch }) => [atMs, batch.shard, batch.epoch, batch.n])
  expect(batchesOf(other)).toEqual(batchesOf(one))
})

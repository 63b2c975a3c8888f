import { expect, test } from 'vitest'
import { judgeScene } from './judge-scene.ts'
import { playSchedule } from './schedule.ts'

test.each([3, 4, 5])('recorders that come, go and fail as in schedule %i keep every invariant', async (seed) => {
  expect([...judgeScene(await playSchedule(seed))]).toEqual([])
})

test('the same seed gives the same schedule and the same rows', async () => {
  const [one, other] = [await playSchedule(5), await playSchedule(5)]
  expect(other.troubles).toEqual(one.troubles)
  const batchesOf = ({ bus }: typeof one) =>
    bus.accepted.map(({ atMs, batch }) => [atMs, batch.shard, batch.epoch, batch.n])
  expect(batchesOf(other)).toEqual(batchesOf(one))
})

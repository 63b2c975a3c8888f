import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHECK_EVERY_MS, OverloadMonitor } from './overload-monitor.ts'

/** A monitor after checks with these delays. */
function afterChecks(latenesses: readonly number[]): OverloadMonitor {
  let nowMs = 5_000
  const monitor = new OverloadMonitor(() => nowMs)
  for (const lateMs of latenesses) {
    nowMs += CHECK_EVERY_MS + lateMs
    monitor.check()
  }
  return monitor
}

test('a single pause of any length is not an overload', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000)), fc.nat(3_600_000), fc.array(fc.nat(1_000)), (before, pauseMs, after) => {
      expect(afterChecks([...before, pauseMs]).isOverloaded).toBe(false)
      expect(afterChecks([...before, pauseMs, ...after]).isOverloaded).toBe(false)
    }),
  )
})

test('a queue that stays older than a second for two seconds and three checks is an overload', () => {
  expect(afterChecks([1_001, 1_001]).isOverloaded).toBe(false)
  expect(afterChecks([60_000, 60_000]).isOverloaded).toBe(false)
  expect(afterChecks([1_001, 1_001, 1_001])).toMatchObject({ isOverloaded: true, queueAgeMs: 1_001 })
  expect(afterChecks([0, 4_000, 4_000, 4_000, 4_000]).isOverloaded).toBe(true)
})

test('a queue that is short always or from time to time is not an overload', () => {
  expect(afterChecks(Array.from({ length: 50 }, () => 1_000)).isOverloaded).toBe(false)
  expect(afterChecks(Array.from({ length: 50 }, (_, index) => (index % 3 === 2 ? 0 : 5_000))).isOverloaded).toBe(false)
})

test('one check on time ends the overload, and the next overload needs the full duration again', () => {
  const overload = [2_000, 2_000, 2_000, 2_000]
  expect(afterChecks([...overload, 10]).isOverloaded).toBe(false)
  expect(afterChecks([...overload, 10, 2_000, 2_000]).isOverloaded).toBe(false)
  expect(afterChecks([...overload, 10, ...overload]).isOverloaded).toBe(true)
})

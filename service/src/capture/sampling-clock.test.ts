import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SamplingClock } from './sampling-clock.ts'

/** A clock that the test sets. */
function handClock(wallMs: number) {
  const hands = { wall: wallMs, monotonic: 5_000 }
  return { hands, clock: { wallMs: () => hands.wall, monotonicMs: () => hands.monotonic } }
}

test('a step of the wall clock in either direction does not change sampling time, and is reported', () => {
  const hour = 3_600_000
  fc.assert(
    fc.property(fc.constantFrom(-hour, hour), fc.integer({ min: 0, max: 10_000 }), (stepMs, passedMs) => {
      const { hands, clock } = handClock(1_000_000_000)
      const sampling = new SamplingClock(clock)
      hands.monotonic += passedMs
      hands.wall += passedMs + stepMs
      expect(sampling.nowMs()).toBe(1_000_000_000 + passedMs)
      expect(sampling.wallStepMs()).toBe(stepMs)
    }),
  )
})

test('ordinary drift is not reported as a step', () => {
  const { hands, clock } = handClock(1_000_000_000)
  const sampling = new SamplingClock(clock)
  hands.monotonic += 60_000
  hands.wall += 60_040
  expect(sampling.wallStepMs()).toBeUndefined()
})

test('a start with the wall clock set back continues after the last recorded tick plus what may not be saved yet', () => {
  const { clock } = handClock(1_000_000_000)
  expect(new SamplingClock(clock, 1_000_400_000).nowMs()).toBe(1_000_405_000)
  expect(new SamplingClock(clock, 999_000_000).nowMs()).toBe(1_000_000_000)
})

test('taking over from a recorder whose clock is ahead continues after its last tick', () => {
  const { clock } = handClock(1_000_000_000)
  const sampling = new SamplingClock(clock)
  expect(sampling.continueAfter(999_999_000)).toBe(false)
  expect(sampling.nowMs()).toBe(1_000_000_000)
  expect(sampling.continueAfter(1_003_600_000)).toBe(true)
  expect(sampling.nowMs()).toBeGreaterThan(1_003_600_000)
})

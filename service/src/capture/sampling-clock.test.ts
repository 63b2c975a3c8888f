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

test('a clock that was behind is moved ahead, and is never set back while it runs', () => {
  const { clock } = handClock(1_000_000_000)
  const sampling = new SamplingClock(clock)
  sampling.moveAheadTo(1_000_060_000)
  expect(sampling.nowMs()).toBe(1_000_060_000)
  expect(() => sampling.moveAheadTo(1_000_000_000)).toThrow('never set back')
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { SamplingClock } from './sampling-clock.ts'
import { Ticks } from './ticks.ts'

let monotonicMs = 0
let taken: number[] = []
let stop: AbortController

beforeEach(() => {
  monotonicMs = 0
  taken = []
  stop = new AbortController()
})
afterEach(() => stop.abort())

function ticksOf(...intervalsMs: number[]): Ticks {
  const clock = new SamplingClock({ wallMs: () => 0, monotonicMs: () => monotonicMs })
  const ticks = new Ticks(clock, new Set(intervalsMs), (tickMs) => taken.push(tickMs))
  ticks.run(stop.signal).catch(() => {})
  return ticks
}

test('every multiple of every interval is a tick, also when no interval divides another', () => {
  const ticks = ticksOf(250, 300)
  for (monotonicMs = 1; monotonicMs <= 1_000; monotonicMs++) ticks.takeIfDue()
  expect(taken).toEqual([250, 300, 500, 600, 750, 900, 1_000])
})

test('after a pause only the newest tick is taken, and a tick that is nearly over is skipped', () => {
  const ticks = ticksOf(250)
  monotonicMs = 840
  ticks.takeIfDue()
  expect(taken).toEqual([750])
  monotonicMs = 1_230
  ticks.takeIfDue()
  expect(taken).toEqual([750])
  monotonicMs = 1_250
  ticks.takeIfDue()
  ticks.takeIfDue()
  expect(taken).toEqual([750, 1_250])
})

test('a tick that is followed by one of another interval is taken too, each for its own interval', () => {
  const clock = new SamplingClock({ wallMs: () => 0, monotonicMs: () => monotonicMs })
  const due: [number, number[]][] = []
  const ticks = new Ticks(clock, new Set([100, 333, 500]), (tickMs, intervalsMs) =>
    due.push([tickMs, [...intervalsMs]]),
  )
  ticks.run(stop.signal).catch(() => {})
  monotonicMs = 1_004
  ticks.takeIfDue()
  expect(due).toEqual([
    [999, [333]],
    [1_000, [100, 500]],
  ])
  // Too late for the slot of 100 ms, which has a newer one, and not for that of 500 ms.
  monotonicMs = 1_615
  ticks.takeIfDue()
  expect(due.slice(2)).toEqual([
    [1_500, [500]],
    [1_600, [100]],
  ])
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PROBE_EVERY_MS, type ProbeResult } from '../domain/probe.ts'
import { Prober } from './prober.ts'

const START = Date.UTC(2026, 10, 15, 12) + 3_456

interface Course {
  readonly slots: number
  /** How early or late each timer ends. */
  readonly timerErrorsMs: readonly number[]
  readonly probesTakeMs: readonly number[]
  /** Steps of the wall clock, by the number of the probe before them. */
  readonly steps?: Readonly<Record<number, number>>
}

/** Runs a prober on a clock that goes on only while it sleeps or probes; returns what it stored. */
async function storedBy({ slots, timerErrorsMs, probesTakeMs, steps = {} }: Course) {
  let steadyMs = 0
  let wallAheadMs = 0
  let probes = 0
  const stored: ProbeResult[] = []
  const wrongClocks: number[] = []
  const probedAt: number[] = []
  const stop = new AbortController()
  const clock = {
    now: () => START + steadyMs + wallAheadMs,
    steady: () => steadyMs,
    sleep: (ms: number) => {
      const error = timerErrorsMs[probes % timerErrorsMs.length] ?? 0
      steadyMs += Math.max(1, ms + error)
      return Promise.resolve()
    },
  }
  const prober = new Prober({
    clock,
    probe: () => {
      probedAt.push(START + steadyMs)
      steadyMs += probesTakeMs[probes % probesTakeMs.length] ?? 0
      wallAheadMs += steps[probes] ?? 0
      probes++
      if (steadyMs >= slots * PROBE_EVERY_MS) stop.abort()
      return Promise.resolve({ api: 'ok' as const })
    },
    store: {
      clockMs: () => Promise.resolve(START + steadyMs),
      record: (results) => {
        stored.push(...results)
        return Promise.resolve()
      },
    },
    onWrongClock: (byMs) => wrongClocks.push(byMs),
    onTrouble: (error) => {
      throw error
    },
  })
  await prober.run(stop.signal)
  return { slotsStored: [...new Set(stored.map(({ atMs }) => atMs))], wrongClocks, probedAt }
}

test('timers that end early or late and probes that take seconds skip no slot', async () => {
  const timerErrorsMs = fc.array(fc.integer({ min: -50, max: 2_000 }), { minLength: 1, maxLength: 20 })
  const probesTakeMs = fc.array(fc.integer({ min: 0, max: 7_000 }), { minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(timerErrorsMs, probesTakeMs, async (errors, durations) => {
      const { slotsStored } = await storedBy({ slots: 60, timerErrorsMs: errors, probesTakeMs: durations })
      expect(slotsStored.length).toBeGreaterThan(50)
      for (const [index, slotMs] of slotsStored.entries()) {
        expect(slotMs).toBe(Math.floor(START / PROBE_EVERY_MS) * PROBE_EVERY_MS + index * PROBE_EVERY_MS)
      }
    }),
    { numRuns: 200 },
  )
})

test('a clock that is set by seconds and back costs no slot more than the step', async () => {
  const course = { slots: 60, timerErrorsMs: [-3, 0, 12], probesTakeMs: [20] }
  const { slotsStored } = await storedBy({ ...course, steps: { 10: 4_000, 20: -4_000, 30: -7_000, 40: 7_000 } })
  expect(slotsStored.length).toBeGreaterThanOrEqual(57)
})

test('while the clock differs from the database, nothing is stored in slots in which nobody probed', async () => {
  const course = { slots: 60, timerErrorsMs: [-3, 0, 12], probesTakeMs: [20] }
  for (const step of [3_600_000, -3_600_000]) {
    const { slotsStored, wrongClocks, probedAt } = await storedBy({ ...course, steps: { 20: step, 30: -step } })
    const isProbed = (slotMs: number) => probedAt.some((atMs) => Math.abs(atMs - slotMs) <= PROBE_EVERY_MS)
    expect(slotsStored.filter((slotMs) => !isProbed(slotMs))).toEqual([])
    expect(slotsStored.length).toBeGreaterThanOrEqual(47)
    expect(wrongClocks.length).toBeGreaterThanOrEqual(9)
  }
})

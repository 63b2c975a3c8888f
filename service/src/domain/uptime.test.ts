import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PROBE_EVERY_MS, PROBE_HOUR_MS, PROBES_PER_HOUR } from './probe.ts'
import { type ProbeHour, uptimeOf } from './uptime.ts'

const DAY_MS = 86_400_000
/** Noon. */
const NOW = Date.UTC(2026, 10, 15, 12)
const FULL = 'o'.repeat(PROBES_PER_HOUR)

/** Hours up to now, the last one just finished. */
function hoursOf(letters: readonly (string | null)[], nowMs = NOW): ProbeHour[] {
  return letters.map((each, index) => ({ hourMs: nowMs - (letters.length - index) * PROBE_HOUR_MS, letters: each }))
}

const today = (hours: readonly ProbeHour[], nowMs = NOW) => uptimeOf(hours, nowMs).days.at(-1)

test('without probes there is no data, for every day', () => {
  const { uptime, days, incidents } = uptimeOf([], NOW)
  expect(uptime).toBe(null)
  expect(incidents).toEqual([])
  expect(days).toHaveLength(90)
  expect(new Set(days.map(({ state }) => state))).toEqual(new Set(['no_data']))
  expect(days.at(-1)).toEqual({
    date: '2026-11-15',
    state: 'no_data',
    uptime: null,
    probes: 0,
    failedProbes: 0,
    missingProbes: 0,
    incidents: 0,
  })
})

test('right after the first start, one successful probe is 100 percent of one probe', () => {
  const hourMs = NOW
  const letters = `${'-'.repeat(10)}o${'-'.repeat(PROBES_PER_HOUR - 11)}`
  const nowMs = hourMs + 12 * PROBE_EVERY_MS
  expect(today([{ hourMs, letters }], nowMs)).toMatchObject({ uptime: 100, probes: 1, missingProbes: 0, incidents: 0 })
})

test('a missing probe is neither up nor down, and no incident', () => {
  const letters = `${FULL.slice(60)}${'-'.repeat(60)}`
  expect(today(hoursOf([FULL, letters, FULL]))).toMatchObject({
    uptime: 100,
    probes: 3 * PROBES_PER_HOUR - 61,
    missingProbes: 60,
    incidents: 0,
  })
})

test('a failed probe lowers uptime, three in a row are an incident, and uptime is rounded down', () => {
  const letters = `ddd${FULL.slice(4)}d`
  const { uptime, days, incidents } = uptimeOf(hoursOf([FULL, letters, FULL]), NOW)
  expect(days.at(-1)).toMatchObject({ failedProbes: 4, incidents: 1 })
  expect(uptime).toBe(Math.floor((1 - 4 / (3 * PROBES_PER_HOUR - 1)) * 100_000) / 1_000)
  expect(incidents).toEqual([
    { startedAtMs: NOW - 2 * PROBE_HOUR_MS, endedAtMs: NOW - 2 * PROBE_HOUR_MS + 3 * PROBE_EVERY_MS },
  ])
})

test('an incident over midnight belongs to both days', () => {
  const midnight = Date.UTC(2026, 10, 15)
  const before = `${FULL.slice(2)}dd`
  const after = `dd${FULL.slice(2)}`
  const hours = [
    { hourMs: midnight - PROBE_HOUR_MS, letters: before },
    { hourMs: midnight, letters: after },
  ]
  const { days } = uptimeOf(hours, midnight + 2 * PROBE_HOUR_MS)
  expect(days.slice(-2).map(({ incidents }) => incidents)).toEqual([1, 1])
})

test('probes of slots that are not over yet are not counted', () => {
  expect(today(hoursOf([FULL]))).toMatchObject({ probes: PROBES_PER_HOUR - 1, missingProbes: 0 })
  expect(today([{ hourMs: NOW, letters: FULL }])).toMatchObject({ state: 'no_data' })
})

test('an hour of successful probes counts the same with and without its letters, and days add up', () => {
  const hour = fc.oneof(
    fc.constant(FULL),
    fc
      .array(fc.constantFrom('o', 'o', 'g', 'd', '-'), { minLength: PROBES_PER_HOUR, maxLength: PROBES_PER_HOUR })
      .map((letters) => letters.join('')),
  )
  fc.assert(
    fc.property(fc.array(hour, { maxLength: 40 }), (letters) => {
      const found = uptimeOf(hoursOf(letters), NOW)
      expect(uptimeOf(hoursOf(letters.map((each) => (each === FULL ? null : each))), NOW)).toEqual(found)
      const all = letters.join('').slice(0, -1)
      const first = all.search(/[^-]/)
      const sumOf = (name: 'probes' | 'failedProbes' | 'missingProbes') =>
        found.days.reduce((sum, day) => sum + day[name], 0)
      expect(sumOf('probes')).toBe(all.replaceAll('-', '').length)
      expect(sumOf('failedProbes')).toBe(all.replaceAll(/[^d]/g, '').length)
      expect(sumOf('missingProbes')).toBe(first === -1 ? 0 : all.slice(first).replaceAll(/[^-]/g, '').length)
    }),
    { numRuns: 100 },
  )
})

test('days before the first probe and days without any probe have no data', () => {
  const { days } = uptimeOf([{ hourMs: NOW - 3 * DAY_MS, letters: FULL }], NOW)
  expect(days.slice(-5).map(({ state }) => state)).toEqual(['no_data', 'measured', 'no_data', 'no_data', 'no_data'])
  expect(days.at(-2)).toMatchObject({ uptime: null, missingProbes: 8_640, incidents: 0 })
  expect(days.at(-5)).toMatchObject({ missingProbes: 0 })
})

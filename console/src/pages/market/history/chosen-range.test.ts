import type { GapReport } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { chosenMoment, chosenRange, rangeAfterKey, recordedSpan, within } from './chosen-range.ts'

const HOUR_MS = 3_600_000
const START = Date.parse('2026-11-18T12:00:00Z')
const recorded = { fromMs: START, toMs: START + 3 * HOUR_MS }
const report = (changed: Partial<GapReport>): GapReport =>
  ({ recorded_from: '2026-11-18T12:00:00Z', recorded_to: '2026-11-18T15:00:00Z', ...changed }) as GapReport

test('what the tier leaves out, now or in some minutes, cannot be looked at', () => {
  expect(recordedSpan(report({}))).toEqual(recorded)
  const soonMs = 600_000
  expect(recordedSpan(report({ history_from: '2026-11-18T14:00:00Z' }))?.fromMs).toBe(START + 2 * HOUR_MS + soonMs)
  expect(recordedSpan(report({ history_from: '2026-11-18T14:55:00Z' }))).toBeUndefined()
  expect(recordedSpan(report({ recorded_from: null, recorded_to: null }))).toBeUndefined()
})

test('without a range the last hour is shown, or the hour around the moment', () => {
  expect(chosenRange({}, recorded)).toEqual({ fromMs: START + 2 * HOUR_MS, toMs: START + 3 * HOUR_MS })
  const around = chosenRange({ at: START + HOUR_MS }, recorded)
  expect(around).toEqual({ fromMs: START + HOUR_MS / 2, toMs: START + 1.5 * HOUR_MS })
  expect(chosenRange({ at: START }, recorded)).toEqual({ fromMs: START, toMs: START + HOUR_MS })
  expect(chosenRange({ from: START, to: START + 60_000 }, recorded)).toEqual({ fromMs: START, toMs: START + 60_000 })
})

test('a range keeps its length within what is recorded, and is never empty', () => {
  const before = within({ fromMs: START - HOUR_MS, toMs: START }, recorded)
  expect(before).toEqual({ fromMs: START, toMs: START + HOUR_MS })
  expect(within({ fromMs: START, toMs: START + 1 }, recorded).toMs).toBe(START + 10_000)
  expect(within({ fromMs: 0, toMs: START * 2 }, recorded)).toEqual(recorded)
  const short = { fromMs: START, toMs: START + 2_000 }
  expect(within({ fromMs: START, toMs: START + HOUR_MS }, short)).toEqual(short)
})

test('the playhead is at a slot of the range', () => {
  const range = { fromMs: START, toMs: START + 60_000 }
  expect(chosenMoment({}, range, 250)).toBe(START)
  expect(chosenMoment({ at: START + 1_100 }, range, 250)).toBe(START + 1_000)
  expect(chosenMoment({ at: START + HOUR_MS }, range, 250)).toBe(START + 59_750)
})

test('arrow keys move a range by a tenth of its length, and with shift only its end', () => {
  const range = { fromMs: 1_000, toMs: 2_000 }
  expect(rangeAfterKey({ key: 'ArrowLeft', shiftKey: false }, range)).toEqual({ fromMs: 900, toMs: 1_900 })
  expect(rangeAfterKey({ key: 'ArrowRight', shiftKey: true }, range)).toEqual({ fromMs: 1_000, toMs: 2_100 })
  expect(rangeAfterKey({ key: 'a', shiftKey: false }, range)).toBeUndefined()
})

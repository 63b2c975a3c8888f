import type { CoveragePart } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { causesOf, conditionOf, lossLevel, partText, totalsOf } from './coverage-cell.ts'

function part(changes: Partial<CoveragePart>): CoveragePart {
  const full = { start: '2026-11-12T00:00:00.000Z', expected_slots: 1_000, stored_slots: 1_000, missing_slots: 0 }
  return { ...full, suspect_slots: 0, share: 1, condition: 'available', causes: {}, ...changes }
}

const DEGRADED = part({
  condition: 'degraded',
  stored_slots: 838,
  missing_slots: 162,
  share: 0.998129,
  causes: { hash_mismatch: 2, disconnected: 160 },
})

test('the text of a cell has condition, share rounded down, what is missing, and the largest cause', () => {
  expect(partText(DEGRADED)).toBe('degraded, 99.812 %, 162 slots missing, most: disconnected')
  expect(partText(part({}))).toBe('available, 100 %')
  expect(partText(part({ condition: 'degraded', suspect_slots: 1 }))).toBe('degraded, 100 %, 1 slot suspect')
  expect(partText(undefined)).toBe('not recorded')
  expect(conditionOf(undefined)).toBe('not recorded')
})

test('a degraded cell is darker when more is missing or suspect', () => {
  const levels = [0, 1, 10, 100, 999].map((missing_slots) => lossLevel(part({ missing_slots })))
  expect(levels).toEqual([0, 1, 2, 3, 3])
  expect(lossLevel(part({ suspect_slots: 500 }))).toBe(3)
})

test('causes are added up, the most frequent first', () => {
  expect(causesOf([DEGRADED, part({ causes: { hash_mismatch: 300 } })])).toEqual([
    { cause: 'hash_mismatch', slots: 302 },
    { cause: 'disconnected', slots: 160 },
  ])
})

test('one missing slot of a million is not 100 percent', () => {
  const totals = totalsOf([part({ expected_slots: 10_000_000, stored_slots: 9_999_999, missing_slots: 1 })])
  expect(totals.share).toBe(0.999999)
  expect(totalsOf([]).share).toBeUndefined()
  expect(totalsOf([DEGRADED, part({})]).counts).toMatchObject({ available: 1, degraded: 1, missing: 0 })
})

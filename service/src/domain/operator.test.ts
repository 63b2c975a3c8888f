import { expect, test } from 'vitest'
import { isRecentProof, RECENT_PROOF_MS } from './operator.ts'

const NOW_MS = Date.parse('2026-11-18T12:00:00Z')

test('a proof of identity counts for 15 minutes, and one of unknown time never', () => {
  expect(RECENT_PROOF_MS).toBe(900_000)
  const isRecent = (ageMs: number): boolean => isRecentProof({ name: 'Ada', provedAtMs: NOW_MS - ageMs }, NOW_MS)
  expect([0, 900_000, 900_001, 3_600_000].map(isRecent)).toEqual([true, true, false, false])
  // A clock that is a little ahead, and a time that can't be one of a proof.
  expect([-60_000, -60_001].map(isRecent)).toEqual([true, false])
  expect(isRecentProof({ name: 'Ada' }, NOW_MS)).toBe(false)
})

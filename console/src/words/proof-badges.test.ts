import { expect, test } from 'vitest'
import { type BookState, proofBadge } from './proof-badges.ts'

const usual: BookState = { proof: 'hash', flags: [], ageMs: 100, gapCause: undefined }
const textOf = (state: Partial<BookState>): string => proofBadge({ ...usual, ...state }).text

test('a badge says how many of the two books are proved', () => {
  expect(textOf({ flags: ['verified_up', 'verified_down'] })).toBe('Proved')
  expect(textOf({ flags: ['verified_up', 'unverified_down', 'mirrored'] })).toBe('Proved once')
  expect(textOf({ flags: ['unverified_up', 'unverified_down'] })).toBe('Unproved')
  expect(textOf({ proof: 'sequence' })).toBe('Proved')
  expect(textOf({ proof: 'sequence', flags: ['unverified_down'] })).toBe('Proved once')
  expect(textOf({ proof: 'none' })).toBe('Fresh')
})

test('an old book is not called proved, and a gap comes before everything', () => {
  const flags = ['verified_up', 'verified_down']
  expect(textOf({ flags, ageMs: 12_400 })).toBe('Stale 12 s')
  expect(textOf({ flags, ageMs: 12_400, gapCause: 'venue_silent' })).toBe('In a gap: venue silent')
  expect(textOf({ flags, gapCause: null })).toBe('In a gap: cause not known yet')
})

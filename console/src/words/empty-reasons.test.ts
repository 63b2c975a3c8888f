import { expect, test } from 'vitest'
import { emptyText } from './empty-reasons.ts'

test('every reason has a sentence, and an unknown one is shown by its code', () => {
  for (const reason of ['no_match', 'outside_capture', 'gap', 'tier', 'not_recorded_yet'])
    expect(emptyText(reason)).toMatch(/^[A-Z].*\.$/)
  expect(emptyText('newer')).toBe('There is nothing to show (newer).')
  expect(emptyText(undefined)).toBe('There is nothing to show.')
})

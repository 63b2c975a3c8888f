import { expect, test } from 'vitest'
import { hasWords, wordsOf } from './searched-words.ts'

const TEXT = 'will the lakers beat the celtics? nba-lal-bos-2026 nba élan'

test.each([
  ['lakers celtics', true],
  ['Celtics, LAKERS', true],
  ['lak', true],
  ['akers', false],
  ['nba-lal', true],
  ['2026', true],
  ['026', false],
  ['Élan', true],
  ['lakers heat', false],
  ['?', false],
])('%s is found: %s', (words, isFound) => {
  expect(hasWords(TEXT, wordsOf(words))).toBe(isFound)
})

import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LONGEST } from '../src/longest-first.ts'

test('every file that starts first exists', () => {
  const missing = LONGEST.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)))
  expect(missing).toEqual([])
})

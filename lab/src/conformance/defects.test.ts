import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withDefect } from '../defects/defect.ts'
import { DEFECTS } from './defects.ts'

const ROOT = new URL('../../../', import.meta.url)

test.each(DEFECTS.map((defect) => [defect.name, defect] as const))('"%s" can be applied', (_, defect) => {
  const content = readFileSync(new URL(defect.file, ROOT), 'utf8')
  expect(withDefect(content, defect)).not.toBe(content)
})

test('there are at least 60 defects, each with its own name', () => {
  const names = DEFECTS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(60)
})

test('a defect whose text is gone is reported', () => {
  const defect = { name: 'none', file: 'some.ts', text: 'gone', replacement: '' }
  expect(() => withDefect('something else', defect)).toThrow('occurs 0 times in some.ts')
})

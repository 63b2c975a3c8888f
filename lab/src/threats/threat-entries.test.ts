import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withDefect } from '../defects/defect.ts'
import { THREAT_ENTRIES } from './threat-entries.ts'
import { THREATS } from './threats.ts'

const ROOT = new URL('../../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')

test('the removal of every entry can be applied (if not: change its text with the code)', () => {
  const problems = THREAT_ENTRIES.flatMap(({ id, defence, removal }) => {
    const content = read(removal.file)
    try {
      return withDefect(content, { name: `${id}: ${defence}`, ...removal }) === content ? [`${id}: no change`] : []
    } catch (error) {
      return [String(error)]
    }
  })
  expect(problems).toEqual([])
})

test('the test of every entry has its name in its file (if not: it was renamed)', () => {
  const renamed = THREAT_ENTRIES.filter(({ test: { file, name } }) => !read(file).includes(name))
  expect(renamed.map(({ id, test: { file, name } }) => `${id}: ${file}: ${name}`)).toEqual([])
})

test('there are 35 threats and 37 invariants, and every entry belongs to one', () => {
  const ids = THREATS.map(({ id }) => id)
  expect([ids[0], ids[34], ids[35], ids[71], ids.length]).toEqual(['T1', 'T35', 'I1', 'I37', 72])
  expect(THREAT_ENTRIES.filter(({ id }) => !ids.includes(id))).toEqual([])
})

test('every threat and every invariant has a defence with its test', () => {
  const covered = new Set(THREAT_ENTRIES.map(({ id }) => id))
  expect(THREATS.filter(({ id }) => !covered.has(id))).toEqual([])
})

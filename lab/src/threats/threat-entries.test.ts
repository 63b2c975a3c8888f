import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withDefect } from '../defects/defect.ts'
import { THREAT_ENTRIES } from './threat-entries.ts'

const ROOT = new URL('../../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')

test('the removal of every entry can be applied, and its test file exists', () => {
  for (const { id, defence, removal, test } of THREAT_ENTRIES) {
    const content = read(removal.file)
    expect(withDefect(content, { name: `${id}: ${defence}`, ...removal })).not.toBe(content)
    expect(read(test.file), `${id}: ${defence}`).toMatch(/\b(test|it)\b/)
  }
})

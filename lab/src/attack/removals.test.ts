import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withDefect } from '../defects/defect.ts'
import { allGenerators } from './all-generators.ts'
import { REMOVALS } from './removals.ts'

const ROOT = new URL('../../../', import.meta.url)

test('every removal can be applied and names a generator', () => {
  for (const { defect, generator } of REMOVALS) {
    const content = readFileSync(new URL(defect.file, ROOT), 'utf8')
    expect(withDefect(content, defect)).not.toBe(content)
    expect(allGenerators.map(({ name }) => name)).toContain(generator)
  }
})

import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLAN } from './plan.ts'
import { commandsIn } from './readme-commands.ts'

const ROOT = new URL('../../../', import.meta.url)
const README = readFileSync(new URL('README.md', ROOT), 'utf8')

test('the plan has every command of the README, in its order (if not: change lab/src/clean-machine/plan.ts)', () => {
  const planned = PLAN.filter(({ from }) => from === 'README').map(({ command }) => command)
  expect(planned).toEqual(commandsIn(README))
})

test('the README names every Debian package that its commands need', () => {
  const named = [...README.matchAll(/apt-get install ([\w .-]+)`/g)].flatMap(([, names = '']) => names.split(' '))
  for (const name of PLAN.flatMap(({ packages = [] }) => packages)) expect(named).toContain(name)
})

test('the tests that the plan runs exist', () => {
  const files = PLAN.flatMap(({ command }) => command.match(/^npm test -- (\S+)$/)?.[1] ?? [])
  expect(files).toHaveLength(2)
  for (const file of files) expect(existsSync(new URL(file, ROOT)), file).toBe(true)
})

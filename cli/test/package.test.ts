import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

let folder: string
let home: string

/** Builds both packages as for publishing, in a folder from which no other file of the project can be resolved. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookreel-cli-package-'))
  const packages = join(folder, 'node_modules', '@bookreel')
  home = join(packages, 'cli')
  await mkdir(packages, { recursive: true })
  await cp(join(ROOT, 'tsconfig.json'), join(packages, 'tsconfig.json'))
  for (const name of ['commander', '@types']) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
  for (const name of ['sdk', 'cli']) {
    for (const part of ['src', 'package.json', 'tsconfig.build.json', 'README.md', 'LICENSE']) {
      await cp(join(ROOT, name, part), join(packages, name, part), { recursive: true })
    }
    await run('tsc', ['--project', 'tsconfig.build.json'], { cwd: join(packages, name) })
  }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('the built program runs without the repository', async () => {
  const { stdout } = await run(process.execPath, [join(home, 'dist/main.js'), '--version'])
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('publint reports no problem with the package', async () => {
  await run('publint', ['--strict', '--pack', 'false'], { cwd: home })
})

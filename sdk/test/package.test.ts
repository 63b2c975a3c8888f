import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const SDK = join(import.meta.dirname, '..')

let folder: string
let packed: { filename: string; size: number; files: { path: string }[] }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookreel-sdk-'))
  await rm(join(SDK, 'dist'), { recursive: true, force: true })
  await run('tsc', ['--project', 'tsconfig.build.json'], { cwd: SDK })
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: SDK })
  packed = JSON.parse(stdout)[0]
  const home = join(folder, 'node_modules', '@bookreel', 'sdk')
  await mkdir(home, { recursive: true })
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', home, '--strip-components=1'])
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('publint and attw report no problem with the package', async () => {
  await run('publint', ['--strict', '--pack', 'false'], { cwd: join(folder, 'node_modules', '@bookreel', 'sdk') })
  await run('attw', ['--profile', 'esm-only', join(folder, packed.filename)])
})

test('it has the size that its README states, and contains README and LICENSE', async () => {
  const [, stated = '0'] = /(\d+) kB packed/.exec(await readFile(join(SDK, 'README.md'), 'utf8')) ?? []
  expect(Math.abs(packed.size - 1_000 * Number(stated))).toBeLessThan(3_000)
  expect(packed.files.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['README.md', 'LICENSE', 'dist/index.js']),
  )
})

test('a program outside the repository compiles against it and runs', async () => {
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(
    join(folder, 'program.ts'),
    `import { Bookreel, BookreelError, type StreamEvent } from '@bookreel/sdk'
const client = new Bookreel({ baseUrl: 'http://127.0.0.1:1', retries: 0 })
export const typeOf = ({ type }: StreamEvent): string => type
try {
  await client.public.health()
} catch (error) {
  if (error instanceof BookreelError) console.log(error.code)
}
`,
  )
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom', '--types', '']
  await run('tsc', [...options, join(folder, 'program.ts')], { cwd: folder })
  const { stdout } = await run('node', ['program.js'], { cwd: folder })
  expect(stdout.trim()).toBe('network')
})

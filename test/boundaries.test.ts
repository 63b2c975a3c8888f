import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf, trackedFiles } from './repository.ts'

/** Room → the rooms it may use. What stands in no list may be used by nobody. */
const SERVICE_ROOMS: Record<string, readonly string[]> = {
  domain: [],
  venues: ['domain'],
  bus: ['domain'],
  stores: ['domain'],
  payments: ['domain'],
  objects: [],
  raw: ['objects', 'domain'],
  capture: ['venues', 'bus', 'domain'],
  fieldcheck: ['venues', 'domain'],
  rebuild: ['capture', 'raw', 'venues', 'domain'],
  workers: ['bus', 'stores', 'objects', 'domain'],
  access: ['stores', 'domain'],
  rendering: ['venue-registry.ts', 'domain'],
  endpoints: ['rendering', 'stores', 'payments', 'objects', 'venue-registry.ts', 'domain'],
  pipeline: ['access', 'endpoints', 'stores', 'domain'],
  http: ['pipeline', 'access', 'endpoints', 'bus', 'stores', 'domain'],
  gateway: ['pipeline', 'access', 'endpoints', 'rendering', 'bus', 'stores', 'venue-registry.ts', 'domain'],
  mcp: ['pipeline', 'access', 'endpoints', 'venue-registry.ts', 'domain'],
  watch: ['bus', 'domain'],
  wiring: [
    'config.ts',
    'venue-registry.ts',
    'http',
    'gateway',
    'mcp',
    'pipeline',
    'access',
    'endpoints',
    'venues',
    'bus',
    'stores',
    'payments',
    'raw',
    'objects',
    'domain',
  ],
  commands: [
    'wiring',
    'config.ts',
    'venue-registry.ts',
    'fieldcheck',
    'rebuild',
    'access',
    'bus',
    'stores',
    'payments',
    'raw',
    'domain',
  ],
  roles: [
    'wiring',
    'config.ts',
    'venue-registry.ts',
    'watch',
    'http',
    'gateway',
    'mcp',
    'pipeline',
    'capture',
    'access',
    'endpoints',
    'workers',
    'raw',
    'objects',
    'venues',
    'bus',
    'stores',
    'payments',
    'domain',
  ],
}

/** The simulator's venues must not lean on each other, and its world must know none of them. */
const SIMULATOR_ROOMS: Record<string, readonly string[]> = {
  world: [],
  faults: ['world'],
  polymarket: ['world', 'faults', 'delivery.ts'],
  kalshi: ['world', 'faults', 'delivery.ts'],
  hyperliquid: ['world', 'faults', 'delivery.ts'],
  binance: ['world', 'faults', 'delivery.ts'],
  rtds: ['world', 'delivery.ts'],
  payments: [],
}

/** Workspace → the workspaces it may use. The service stands alone: nothing that tests it is part of it. */
const WORKSPACES: Record<string, readonly string[]> = {
  service: [],
  simulator: [],
  stack: [],
  testbed: ['simulator', 'stack', 'service'],
  lab: ['simulator', 'stack', 'service', 'testbed'],
  sdk: [],
  cli: ['sdk'],
  console: ['sdk'],
}

const sources = trackedFiles().filter((file) => /^[^/]+\/src\/.*\.tsx?$/.test(file))

function roomOf(path: string): string {
  return path.split('/')[2] ?? ''
}

/** Every import inside one workspace as [file, room it stands in, room it reaches into]. */
function doorsUsed(workspace: string, files: readonly string[]): [file: string, from: string, into: string][] {
  return files
    .filter((file) => file.startsWith(`${workspace}/src/`) && file.split('/').length > 3)
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith('.'))
        .map((name): [string, string, string] => [file, roomOf(file), roomOf(posix.join(posix.dirname(file), name))]),
    )
    .filter(([, from, into]) => from !== into)
}

function forbidden(doors: readonly [string, string, string][], rooms: Record<string, readonly string[]>): string[] {
  return doors.filter(([, from, into]) => !rooms[from]?.includes(into)).map(([file, , into]) => `${file} uses ${into}`)
}

function relativeImports(file: string): string[] {
  return importsOf(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(file), name))
}

/** One cycle for each import that leads back to a file on the way to it. */
function cyclesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const walk = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file)
    if (start >= 0) cycles.push([...way.slice(start), file].join(' → '))
    if (start >= 0 || done.has(file)) return
    for (const next of imports.get(file) ?? []) walk(next, [...way, file])
    done.add(file)
  }
  for (const file of imports.keys()) walk(file, [])
  return cycles
}

describe('imports flow one way', () => {
  test('between the rooms of the service', () => {
    expect(forbidden(doorsUsed('service', sources), SERVICE_ROOMS)).toEqual([])
    const rooms = new Set(
      sources.filter((file) => file.startsWith('service/src/') && file.split('/').length > 3).map(roomOf),
    )
    expect([...rooms].filter((room) => !(room in SERVICE_ROOMS))).toEqual([])
  })

  test('between the rooms of the simulator', () => {
    const tests = /\.test\.ts$/
    const files = sources.filter((file) => !tests.test(file))
    expect(forbidden(doorsUsed('simulator', files), SIMULATOR_ROOMS)).toEqual([])
  })

  test('between workspaces, by package name only', () => {
    for (const file of sources) {
      const [workspace = ''] = file.split('/')
      for (const name of importsOf(file)) {
        const target = /^@bookreel\/([^/]+)/.exec(name)?.[1]
        if (target !== undefined) expect(WORKSPACES[workspace], `${file} uses ${name}`).toContain(target)
        const outside = name.startsWith('.') && !posix.join(posix.dirname(file), name).startsWith(`${workspace}/`)
        expect(outside, `${file} reaches out of its workspace: ${name}`).toBe(false)
      }
    }
  })

  test('and the SDK runs anywhere: nothing of Node, nothing of anybody', () => {
    const files = sources.filter((file) => file.startsWith('sdk/src/'))
    expect(files.length).toBeGreaterThan(5)
    for (const file of files)
      expect(
        importsOf(file).filter((name) => !name.startsWith('.')),
        file,
      ).toEqual([])
  })

  test('without a cycle, imports of types included', () => {
    const files = trackedFiles().filter((file) => /\.tsx?$/.test(file))
    const imports = new Map(files.map((file) => [file, relativeImports(file)]))
    expect(cyclesIn(imports)).toEqual([])
    const loop = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', []],
    ])
    expect(cyclesIn(loop)).toEqual(['a → b → c → a'])
  })

  test('the map itself notices a forbidden door', () => {
    const doors: [string, string, string][] = [['service/src/domain/book.ts', 'domain', 'stores']]
    expect(forbidden(doors, SERVICE_ROOMS)).toEqual(['service/src/domain/book.ts uses stores'])
  })
})

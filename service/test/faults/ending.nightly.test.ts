// Nightly: kills or stops real processes and engines while a recorder runs in real time.
// Covers: service/src/capture/ service/src/bus/ service/src/workers/
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startSimulator } from '@bookreel/simulator/simulator'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { venueSettings } from '@bookreel/testbed/venue-settings'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepare } from '../../src/commands/prepare.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { apiRole } from '../../src/roles/api-role.ts'
import { archiveRole } from '../../src/roles/archive-role.ts'
import { captureRole } from '../../src/roles/capture-role.ts'
import { catalogueRole } from '../../src/roles/catalogue-role.ts'
import { hotRole } from '../../src/roles/hot-role.ts'

/** An archive with rows to store retries for ten seconds before it ends. */
const ENDS_WITHIN_MS = 25_000
const ROLES = { capture: captureRole, archive: archiveRole, hot: hotRole, catalogue: catalogueRole, api: apiRole }

const closing = new AsyncDisposableStack()
let config: Config
let environment: Record<string, string>
let killEngines: () => Promise<unknown>
let killRedis: () => Promise<unknown>

beforeAll(async () => {
  const stack = closing.use(await borrowStack())
  const size = { hot: 2, medium: 2, cold: 4 }
  const world = { seed: 'ending', startMs: Date.now(), size, speed: 1, port: 0, faults: [] }
  const simulator = await startSimulator(world)
  closing.defer(() => simulator.stop())
  environment = {
    ...stack.variables,
    ...venueSettings(simulator.addresses),
    HTTP_PORT: '0',
  }
  config = readConfig(environment)
  await prepare(config)
  killRedis = async () => {
    await stack.engine('redis').kill()
    await stack.engine('redis').restart()
  }
  killEngines = () =>
    Promise.all((['nats', 'clickhouse', 'postgres', 'redis'] as const).map((name) => stack.engine(name).kill()))
})
afterAll(() => closing.disposeAsync())

/** Starts the API in its own process and waits until it listens. */
async function startApi() {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  // At this level it logs a lot, also while it ends.
  const env = { PATH: '/usr/bin:/bin', ...COMPILE_CACHE, ...environment, LOG_LEVEL: 'trace' }
  const child = spawn(process.execPath, [main, 'run', 'api'], { env, stdio: ['ignore', 'pipe', 'ignore', 'ipc'] })
  closing.defer(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await expect.poll(() => output).toContain('"HTTP server listening"')
  return child
}

test('a process whose log reader is gone ends by itself', { timeout: 300_000 }, async () => {
  const api = await startApi()
  const ended = once(api, 'exit', { signal: AbortSignal.timeout(ENDS_WITHIN_MS) })
  api.stdout?.destroy()
  // Causes a log line.
  await killRedis()
  expect(await ended).toEqual([0, null])
})

test('a process ends when its IPC channel to the parent closes', { timeout: 300_000 }, async () => {
  const api = await startApi()
  const ended = once(api, 'exit', { signal: AbortSignal.timeout(ENDS_WITHIN_MS) })
  api.disconnect()
  expect(await ended).toEqual([0, null])
})

test('every role ends on its abort signal although all engines are killed', { timeout: 300_000 }, async () => {
  const stop = new AbortController()
  const context = { config, log: pino({ level: 'silent' }) }
  const endedMs = new Map<string, number>()
  let abortedAtMs = 0
  const running = Object.entries(ROLES).map(async ([name, role]) => {
    await role({ ...context, registry: new Registry() }, stop.signal).catch(() => {})
    endedMs.set(name, Math.round(performance.now() - abortedAtMs))
  })
  await expect.poll(() => rowsStored()).toBeGreaterThan(0)
  await killEngines()
  abortedAtMs = performance.now()
  stop.abort()
  const allEnded = Promise.all(running).then(() => 'all ended')
  const late = new Promise((resolve) => setTimeout(resolve, ENDS_WITHIN_MS, 'late').unref())
  expect(await Promise.race([allEnded, late]), JSON.stringify([...endedMs])).toBe('all ended')
})

async function rowsStored(): Promise<number> {
  const query = `${config.CLICKHOUSE_URL}/?database=${config.CLICKHOUSE_DATABASE}&query=SELECT+count()+FROM+snapshots`
  const headers = { 'x-clickhouse-user': config.CLICKHOUSE_USER, 'x-clickhouse-key': config.CLICKHOUSE_PASSWORD }
  return Number(await (await fetch(query, { headers })).text())
}

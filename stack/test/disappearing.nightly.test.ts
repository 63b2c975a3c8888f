// Nightly: kills engines.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { programCache } from '../src/environment.ts'
import { readRecord } from '../src/stack-record.ts'
import { startStack } from '../src/start-stack.ts'
import { stopStack } from '../src/stop-stack.ts'
import { eventually, filesWrittenBy, listeningAddresses, portsOf, processesOf, sharedMemoryCreators } from './traces.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

let outside: string
let dir: string
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'bookreel-outside-'))
  dir = join(outside, 'stack')
  for (const name of ['home', 'tmp', 'work']) mkdirSync(join(outside, name))
})
afterEach(async () => {
  await stopStack(dir)
  rmSync(outside, { recursive: true })
})

/** Runs the CLI with its own home, temporary and working folders, so that stray files are noticed. */
function stackCommand(...args: string[]) {
  return spawn(process.execPath, [MAIN, ...args, '--dir', dir], {
    cwd: join(outside, 'work'),
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: join(outside, 'home'),
      TMPDIR: join(outside, 'tmp'),
      XDG_CACHE_HOME: join(programCache, '..'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function exitCodeOf(command: ReturnType<typeof stackCommand>): Promise<number | null> {
  command.stdout.resume()
  command.stderr.resume()
  const [code] = await once(command, 'exit')
  return code
}

/** A process disappears from the list shortly before its last thread closes its sockets, so poll. */
async function expectNoPortOf(ports: number[]): Promise<void> {
  await eventually(
    () => {
      const listening = listeningAddresses()
      return ports.filter((port) => listening.some((address) => address.endsWith(`:${port}`)))
    },
    (left) => left.length === 0,
  )
}

test('down leaves no process, no port and no file, and nothing was written outside the folder', async () => {
  expect(await exitCodeOf(stackCommand('up'))).toBe(0)
  const record = readRecord(dir)
  if (!record) throw new Error('No record')
  const ports = portsOf({ record })
  const pids = processesOf(dir)
  expect(pids.length).toBeGreaterThanOrEqual(5)
  const written = [...new Set(pids.flatMap(filesWrittenBy))]
  expect(written.length).toBeGreaterThan(4)
  expect(written.filter((file) => !file.startsWith(`${dir}/`))).toEqual([])

  expect(await exitCodeOf(stackCommand('status'))).toBe(0)
  expect(await exitCodeOf(stackCommand('up'))).toBe(0)
  expect(readRecord(dir)?.supervisor).toEqual(record.supervisor)
  expect(await exitCodeOf(stackCommand('down'))).toBe(0)
  expect(processesOf(dir)).toEqual([])
  await expectNoPortOf(ports)
  expect(existsSync(dir)).toBe(false)
  for (const name of ['home', 'tmp', 'work']) expect(readdirSync(join(outside, name)), name).toEqual([])
  expect(sharedMemoryCreators().filter((pid) => pids.includes(pid))).toEqual([])
  expect(await exitCodeOf(stackCommand('status'))).toBe(1)
})

test('an interrupted up leaves nothing', async () => {
  const up = stackCommand('up')
  const exit = exitCodeOf(up)
  const pids = await eventually(
    () => processesOf(dir).filter((pid) => pid !== up.pid),
    (found) => found.length > 2,
  )
  up.kill('SIGINT')
  expect(await exit).toBe(130)
  expect(processesOf(dir)).toEqual([])
  expect(existsSync(dir)).toBe(false)
  expect(sharedMemoryCreators().filter((pid) => pids.includes(pid))).toEqual([])
})

test('a stack ends with the process that started it', async () => {
  const program = fileURLToPath(new URL('./unattended-owner.ts', import.meta.url))
  const owner = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(owner.stdout, 'data')
  const started = JSON.parse(String(line))
  const pids = processesOf(started.dir)
  expect(pids.length).toBeGreaterThanOrEqual(5)
  owner.kill('SIGKILL')
  await eventually(
    () => processesOf(started.dir),
    (left) => left.length === 0,
  )
  await expectNoPortOf(portsOf(started))
  expect(existsSync(started.dir)).toBe(false)
  expect(sharedMemoryCreators().filter((pid) => pids.includes(pid))).toEqual([])
})

test('engines end with their supervisor, even a paused one, and the next start reuses the folder', async () => {
  const stack = await startStack({ dir })
  const pids = processesOf(dir)
  await stack.engine('postgres').pause()
  process.kill(stack.record.supervisor.pid, 'SIGKILL')
  await eventually(
    () => processesOf(dir),
    (left) => left.length === 0,
  )
  await expectNoPortOf(portsOf(stack))
  expect(await exitCodeOf(stackCommand('status'))).toBe(1)

  const next = await startStack({ dir, engines: ['redis'] })
  expect(readdirSync(dir).sort()).toEqual(['redis', 'stack.env', 'stack.json'])
  expect(sharedMemoryCreators().filter((pid) => pids.includes(pid))).toEqual([])
  await next.stop()
})

test('a stack whose folder is deleted ends', async () => {
  await startStack({ dir, engines: ['redis', 'nats'] })
  rmSync(dir, { recursive: true })
  await eventually(
    () => processesOf(dir),
    (left) => left.length === 0,
  )
})

test('a folder with other files is rejected and not changed', async () => {
  mkdirSync(join(dir, 'thesis'), { recursive: true })
  await expect(startStack({ dir, engines: ['redis'] })).rejects.toThrow(/contains other files \(thesis\)/)
  expect(await stopStack(dir)).toBe('none')
  expect(readdirSync(dir)).toEqual(['thesis'])
})

test('a folder that cannot be created fails the start with the reason', async () => {
  const nowhere = join(dir, 'missing', 'stack')
  await expect(startStack({ dir: nowhere, engines: ['redis'] })).rejects.toThrow(/cannot be created: ENOENT/)
  expect(existsSync(dir)).toBe(false)
  expect(processesOf(nowhere)).toEqual([])
})

test('of two simultaneous starts in one folder, one succeeds', async () => {
  const outcomes = await Promise.allSettled([1, 2].map(() => startStack({ dir, engines: ['redis'] })))
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value.stop()
  expect(processesOf(dir)).toEqual([])
})

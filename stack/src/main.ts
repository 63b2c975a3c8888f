import { relative, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { engineOf, variablesOf } from './engine-plans.ts'
import { type EngineKind, OPTIONAL_ENGINES, USUAL_ENGINES } from './engines/engine.ts'
import { ensureProgram, ensurePrograms } from './install/ensure-programs.ts'
import { isAlive } from './processes.ts'
import { environmentFile, readRecord, type StackRecord } from './stack-record.ts'
import { isHealthy, stackStatus } from './stack-status.ts'
import { startStack } from './start-stack.ts'
import { stopStack } from './stop-stack.ts'
import { asUptime, inMegabytes, inSeconds, table } from './table.ts'

interface Options {
  readonly dir: string
  readonly json?: boolean
  readonly clickhouseShards: number
  readonly with?: readonly EngineKind[]
}

const say = (line: string) => console.log(line)
const sayAside = (line: string) => console.error(line)

async function up({ dir, json, clickhouseShards, with: added = [] }: Options): Promise<void> {
  const folder = resolve(dir)
  const running = readRecord(folder)
  if (running && isAlive(running.supervisor)) {
    if (running.healthyAfterMs === undefined) throw new Error(`A stack is just being started in ${folder}`)
    sayAside('Already running.')
    return showStarted(folder, running, json)
  }
  if (running) sayAside('A stack was killed here; its remains are removed first.')
  const interrupted = new AbortController()
  const interrupt = () => {
    sayAside('\nInterrupted: stopping what was started …')
    interrupted.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt)
  try {
    const stack = await startStack({
      dir: folder,
      engines: [...USUAL_ENGINES, ...added],
      clickhouseShards,
      onProgress: sayAside,
      signal: interrupted.signal,
    })
    await stack.release()
    showStarted(folder, stack.record, json)
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    sayAside('Nothing is left.')
    process.exitCode = 130
  }
}

function showStarted(dir: string, record: StackRecord, json: boolean | undefined): void {
  const engines = record.engines.map(({ plan, process, healthyAfterMs }) => {
    return { id: plan.id, address: engineOf(plan).address, pid: process?.pid, healthyAfterMs }
  })
  const { healthyAfterMs = 0 } = record
  if (json) {
    const environment = variablesOf(record.engines.map(({ plan }) => plan))
    const file = environmentFile(dir)
    const supervisorPid = record.supervisor.pid
    say(JSON.stringify({ dir, supervisorPid, healthyAfterMs, engines, environmentFile: file, environment }, null, 2))
    return
  }
  const rows = engines.map((engine) => [engine.id, engine.address, inSeconds(engine.healthyAfterMs ?? 0)])
  say(table([['ENGINE', 'ADDRESS', 'HEALTHY AFTER'], ...rows]))
  say(`\nAll healthy after ${inSeconds(healthyAfterMs)}. Users and passwords: ${shortPath(environmentFile(dir))}`)
  say(`  set -a; . ${shortPath(environmentFile(dir))}; set +a`)
}

async function status({ dir, json }: Options): Promise<void> {
  const found = await stackStatus(resolve(dir))
  if (!isHealthy(found)) process.exitCode = 1
  if (json) return say(JSON.stringify(found, null, 2))
  if (found.state === 'none') return say(`No stack in ${found.dir}`)
  const rows = found.engines.map(({ id, pid, health, address, residentBytes, uptimeMs }) => {
    const memory = residentBytes === undefined ? '-' : inMegabytes(residentBytes)
    return [id, String(pid ?? '-'), health, address, memory, uptimeMs === undefined ? '-' : asUptime(uptimeMs)]
  })
  say(table([['ENGINE', 'PID', 'HEALTH', 'ADDRESS', 'MEMORY', 'UPTIME'], ...rows]))
  if (found.state === 'abandoned') say('\nIts supervisor was killed. `up` starts anew, `down` removes the remains.')
}

async function down({ dir, json }: Options): Promise<void> {
  const folder = resolve(dir)
  const outcome = await stopStack(folder)
  if (json) return say(JSON.stringify({ dir: folder, outcome }))
  const sentences = {
    stopped: `Stopped, and ${folder} removed.`,
    cleaned: `The stack had been killed; ${folder} removed.`,
    none: `No stack in ${folder}.`,
  }
  say(sentences[outcome])
}

async function install({ json }: Pick<Options, 'json'>): Promise<void> {
  const chromium = await ensureProgram('chromium', sayAside)
  const programs = Object.entries({ ...(await ensurePrograms(USUAL_ENGINES, sayAside)), chromium })
  if (json) return say(JSON.stringify(Object.fromEntries(programs), null, 2))
  say(table([['PROGRAM', 'PLACE'], ...programs.map(([name, { path }]) => [name, path])]))
}

function shortPath(file: string): string {
  const below = relative('.', file)
  const path = below.startsWith('..') ? file : below
  return /^[\w./-]+$/.test(path) ? path : `'${path}'`
}

function shardCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > 16) throw new InvalidArgumentError('A number from 1 to 16.')
  return count
}

const program = new Command('stack')
  .description(
    'A private ClickHouse, NATS JetStream, PostgreSQL and Redis, an identity provider if need be: one folder, free ports, gone afterwards.',
  )
  .showHelpAfterError()

function command(name: string, description: string): Command {
  return program.command(name).description(description).option('--json', 'print JSON for programs')
}

const DIR = ['--dir <folder>', 'the folder of the stack', '.stack'] as const
command('up', 'start a stack in the background and wait until it is healthy')
  .option(...DIR)
  .option('--clickhouse-shards <n>', 'so many ClickHouse processes, one cluster', shardCount, 1)
  .addOption(new Option('--with <engines...>', 'more than the usual four').choices(OPTIONAL_ENGINES))
  .action(up)
command('status', 'show each engine; exit code 1 unless all are healthy')
  .option(...DIR)
  .action(status)
command('down', 'stop the stack and remove its folder')
  .option(...DIR)
  .action(down)
command('install', 'fetch the programs that this machine lacks, without starting anything').action(install)

try {
  await program.parseAsync()
} catch (error) {
  sayAside(`stack: ${(error as Error).message}`)
  process.exitCode = 1
}

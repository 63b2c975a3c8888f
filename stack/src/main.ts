import { readFileSync } from 'node:fs'
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

const print = (line: string) => console.log(line)
const printNote = (line: string) => console.error(line)

async function up({ dir, json, clickhouseShards, with: added = [] }: Options): Promise<void> {
  const folder = resolve(dir)
  const running = readRecord(folder)
  if (running && isAlive(running.supervisor)) {
    if (running.healthyAfterMs === undefined)
      throw new Error(
        `A stack is being started in ${folder}. Wait until it is healthy, or stop it with: npm run stack -- down`,
      )
    printNote('Already running.')
    return showStarted(folder, running, json)
  }
  if (running) printNote('The previous stack in this folder was killed; removing its files first.')
  const interrupted = new AbortController()
  const interrupt = () => {
    printNote('\nInterrupted: stopping the engines …')
    interrupted.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt)
  try {
    const stack = await startStack({
      dir: folder,
      engines: [...USUAL_ENGINES, ...added],
      clickhouseShards,
      onProgress: printNote,
      signal: interrupted.signal,
    })
    await stack.release()
    showStarted(folder, stack.record, json)
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    printNote('All engines stopped; the folder was removed.')
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
    print(JSON.stringify({ dir, supervisorPid, healthyAfterMs, engines, environmentFile: file, environment }, null, 2))
    return
  }
  const rows = engines.map((engine) => [engine.id, engine.address, inSeconds(engine.healthyAfterMs ?? 0)])
  print(table([['ENGINE', 'ADDRESS', 'HEALTHY AFTER'], ...rows]))
  print(
    `\nAll engines healthy after ${inSeconds(healthyAfterMs)}. Addresses, users and passwords: ${shortPath(environmentFile(dir))}`,
  )
  print(`  set -a; . ${shortPath(environmentFile(dir))}; set +a`)
}

async function status({ dir, json }: Options): Promise<void> {
  const found = await stackStatus(resolve(dir))
  if (!isHealthy(found)) process.exitCode = 1
  if (json) return print(JSON.stringify(found, null, 2))
  if (found.state === 'none') return print(`No stack in ${found.dir}`)
  const rows = found.engines.map(({ id, pid, health, address, residentBytes, uptimeMs }) => {
    const memory = residentBytes === undefined ? '-' : inMegabytes(residentBytes)
    return [id, String(pid ?? '-'), health, address, memory, uptimeMs === undefined ? '-' : asUptime(uptimeMs)]
  })
  print(table([['ENGINE', 'PID', 'HEALTH', 'ADDRESS', 'MEMORY', 'UPTIME'], ...rows]))
  if (found.state === 'abandoned')
    print('\nThe supervisor of this stack was killed. Run `up` to start a new stack, or `down` to remove the folder.')
}

async function down({ dir, json }: Options): Promise<void> {
  const folder = resolve(dir)
  const outcome = await stopStack(folder)
  if (json) return print(JSON.stringify({ dir: folder, outcome }))
  const sentences = {
    stopped: `Stack stopped; ${folder} removed.`,
    cleaned: `The stack had been killed before; ${folder} removed.`,
    none: `No stack in ${folder}.`,
  }
  print(sentences[outcome])
}

async function install({ json }: Pick<Options, 'json'>): Promise<void> {
  const chromium = await ensureProgram('chromium', printNote)
  const haproxy = await ensureProgram('haproxy', printNote)
  const programs = Object.entries({ ...(await ensurePrograms(USUAL_ENGINES, printNote)), chromium, haproxy })
  if (json) return print(JSON.stringify(Object.fromEntries(programs), null, 2))
  print(table([['PROGRAM', 'PATH'], ...programs.map(([name, { path }]) => [name, path])]))
}

function shortPath(file: string): string {
  const below = relative('.', file)
  const path = below.startsWith('..') ? file : below
  return /^[\w./-]+$/.test(path) ? path : `'${path}'`
}

function shardCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > 16)
    throw new InvalidArgumentError('Must be a whole number from 1 to 16.')
  return count
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const program = new Command('npm run stack --')
  .description(
    'Runs a private ClickHouse, NATS JetStream, PostgreSQL and Redis (optionally an identity provider) on free ports, with all data in one folder. `down` removes everything.',
  )
  .version(version, '--version', 'print the version')
  .showHelpAfterError()
  .addHelpText(
    'after',
    '\nExamples:\n  $ npm run stack -- up\n  $ npm run stack -- up --clickhouse-shards 2 --with identity --dir .stack2\n  $ npm run stack -- status\n  $ npm run stack -- down',
  )

function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .version(version, '--version', 'print the version')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  $ npm run stack -- ${name}`)
}

const DIR = ['--dir <folder>', 'folder of the stack', '.stack'] as const
command('up', 'start a stack in the background and wait until it is healthy')
  .option(...DIR)
  .option('--clickhouse-shards <n>', 'number of ClickHouse processes in the cluster', shardCount, 1)
  .addOption(new Option('--with <engines...>', 'additional engines').choices(OPTIONAL_ENGINES))
  .action(up)
command('status', 'show the health of each engine; exit code 1 unless all are healthy')
  .option(...DIR)
  .action(status)
command('down', 'stop the stack and remove its folder')
  .option(...DIR)
  .action(down)
command('install', 'download the programs that are not installed, without starting anything').action(install)

try {
  await program.parseAsync()
} catch (error) {
  printNote(`stack: ${(error as Error).message}`)
  process.exitCode = 1
}

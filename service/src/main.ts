import { createServer } from 'node:http'
import { Argument, Command } from 'commander'
import { pino } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { runHeartbeat } from './bus/heartbeat.ts'
import { audit, auditTable } from './commands/audit.ts'
import { type BackupPlace, backup, restore } from './commands/backup.ts'
import { addDeadCommands } from './commands/dead.ts'
import { addOperatorCommands } from './commands/operator.ts'
import { prepare } from './commands/prepare.ts'
import { type Config, describeConfig, readConfig, SECRET_SETTINGS } from './config.ts'
import { apiRole } from './roles/api-role.ts'
import { archiveRole } from './roles/archive-role.ts'
import { captureRole } from './roles/capture-role.ts'
import { catalogueRole } from './roles/catalogue-role.ts'
import { gatewayRole } from './roles/gateway-role.ts'
import { hotRole } from './roles/hot-role.ts'
import { paymentsRole } from './roles/payments-role.ts'
import { proberRole } from './roles/prober-role.ts'
import type { Role } from './roles/role.ts'
import { watchRole } from './roles/watch-role.ts'
import { openBus } from './wiring/engines.ts'

const ROLES: Record<string, Role> = {
  capture: captureRole,
  archive: archiveRole,
  hot: hotRole,
  catalogue: catalogueRole,
  api: apiRole,
  gateway: gatewayRole,
  payments: paymentsRole,
  prober: proberRole,
}

/** With `STREAM_IN_API` the API serves streams, so no gateway is needed. */
function allRoles({ STREAM_IN_API }: Config): string[] {
  return Object.keys(ROLES).filter((name) => name !== 'gateway' || !STREAM_IN_API)
}

/** Runs the roles in parallel. If one fails, the others stop too and the exit code is 1. */
async function run(names: readonly string[], config: Config): Promise<void> {
  const chosen = names.includes('all') ? allRoles(config) : names
  const stop = new AbortController()
  const level = config.LOG_LEVEL
  const redact = ['*.password', ...SECRET_SETTINGS.map((name) => `*.${name}`)]
  // With pino's default destination the process does not exit when the reader of its log is gone.
  const log = pino({ level, redact }, process.stdout)
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  stopOnSignal(stop)
  const closeMetrics = await serveMetrics(config.METRICS_PORT, registry, (address) =>
    log.info({ address }, 'metrics server listening'),
  )
  log.info({ roles: chosen }, 'process started')
  const heartbeat = runHeartbeat(
    {
      roles: chosen,
      registry,
      connect: () => openBus(config, 'heartbeat'),
      onTrouble: (error) => log.warn({ err: error }, 'heartbeat failed'),
    },
    stop.signal,
  )
  const outcomes = await Promise.allSettled(
    chosen.map(async (name) => {
      try {
        await ROLES[name]?.({ config, log: log.child({ role: name }), registry }, stop.signal)
      } catch (error) {
        log.fatal({ role: name, err: error }, 'role failed')
        throw error
      } finally {
        stop.abort()
      }
    }),
  )
  await heartbeat.catch((error: unknown) => log.warn({ err: error }, 'heartbeat failed'))
  closeMetrics()
  log.info('process stopped')
  if (outcomes.some(({ status }) => status === 'rejected')) process.exitCode = 1
}

/** Stops on a signal, when the IPC channel to the parent closes, and when the log reader is gone. */
function stopOnSignal(stop: AbortController): void {
  const end = (): void => stop.abort()
  process.once('SIGTERM', end).once('SIGINT', end).once('disconnect', end)
  process.channel?.unref()
  process.stdout.on('error', end)
  process.stderr.on('error', end)
}

/** Serves the Prometheus metrics, on loopback only. */
async function serveMetrics(
  port: number,
  registry: Registry,
  onListening: (address: string) => void,
): Promise<() => void> {
  if (port === 0) return () => {}
  const server = createServer((_request, response) => {
    registry.metrics().then(
      (text) => response.setHeader('content-type', registry.contentType).end(text),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  onListening(`http://127.0.0.1:${port}/metrics`)
  return () => server.close()
}

const program = new Command('bookreel').description(
  'Records order books of prediction markets and perpetual futures, and serves them.',
)
program
  .command('run')
  .description('run one or more roles in this process')
  .addArgument(new Argument('<roles...>', 'roles to run').choices([...Object.keys(ROLES), 'all']))
  .action((names: string[]) => run(names, readConfig(process.env)))
program
  .command('prepare')
  .description('create or migrate the NATS streams and the database tables; safe to repeat')
  .action(async () => {
    const done = await prepare(readConfig(process.env))
    console.log(done.length === 0 ? 'Nothing to do: streams and tables are up to date.' : done.join('\n'))
  })
program
  .command('watch')
  .description('show live recording statistics in the terminal')
  .action(async () => {
    const stop = new AbortController()
    process.once('SIGTERM', () => stop.abort()).once('SIGINT', () => stop.abort())
    const log = pino({ level: 'silent' })
    await watchRole({ config: readConfig(process.env), log, registry: new Registry() }, stop.signal)
  })
const backupOptions = (command: Command): Command =>
  command
    .argument('<name>', 'name of the backup: letters, digits, - and _')
    .option('--folder <folder>', 'folder of the PostgreSQL dump', '.')
    .option('--pg-programs <folder>', 'folder of pg_dump and pg_restore', '/usr/lib/postgresql/15/bin')
backupOptions(program.command('backup'))
  .description('back up ClickHouse and PostgreSQL to files')
  .action(async (name: string, options: Omit<BackupPlace, 'name'>) => {
    console.log((await backup(readConfig(process.env), { name, ...options })).join('\n'))
  })
backupOptions(program.command('restore'))
  .description('restore a backup into empty stores')
  .action(async (name: string, options: Omit<BackupPlace, 'name'>) => {
    await restore(readConfig(process.env), { name, ...options })
    console.log('Restore complete.')
  })
program
  .command('audit')
  .description('check that credits, keys and events are consistent; exit code 1 when they are not')
  .option('--json', 'print the report as JSON')
  .action(async ({ json }: { json?: boolean }) => {
    const report = await audit(readConfig(process.env))
    console.log(json ? JSON.stringify(report) : auditTable(report))
    if (!report.isClean) process.exitCode = 1
  })
const operatorTools = {
  readConfig: () => readConfig(process.env),
  print: (line: string) => console.log(line),
  complain: (line: string) => console.error(line),
}
addOperatorCommands(program, operatorTools)
addDeadCommands(program, operatorTools)
program
  .command('settings')
  .description('list every setting with its description and default')
  .action(() => {
    for (const { name, usual, meaning } of describeConfig()) console.log(`${name.padEnd(24)} ${meaning} (${usual})`)
  })

/** The messages of an error and of all its causes. */
function messageWithCauses(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${messageWithCauses(error.cause)}` : error.message
}

await program.parseAsync().catch((error: Error) => program.error(messageWithCauses(error)))

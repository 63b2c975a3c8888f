import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { issueKey } from '@bookreel/service/access/issue-key'
import { prepare } from '@bookreel/service/commands/prepare'
import { readConfig } from '@bookreel/service/config'
import { newestFinishedHourMs } from '@bookreel/service/domain/finished-hour'
import { TIER_LIMITS, TIERS, type Tier } from '@bookreel/service/domain/tier'
import { openAccess } from '@bookreel/service/wiring/open-access'
import type { Simulator } from '@bookreel/simulator/simulator'
import { OPTIONAL_ENGINES, USUAL_ENGINES } from '@bookreel/stack/engines/engine'
import { type Stack, startStack } from '@bookreel/stack/start-stack'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { freePort } from '@bookreel/testbed/free-port'
import { newSigner } from '@bookreel/testbed/service/signed-files'
import { createPostgresLogins, engineUsers, newLogins, settingsFor } from '@bookreel/testbed/stacks/test-logins'
import { processorSettings, venueSettings } from '@bookreel/testbed/venue-settings'
import type { StoredHour } from './seed-past-hour.ts'

export interface SimulatedServiceOptions {
  /** Folder for logs and the stack; created if missing. */
  readonly folder: string
  /** Folder of the built web console; without it, none is served. */
  readonly consoleFolder?: string
  /** 0 chooses a free port. */
  readonly port: number
  readonly markets: number
  /** Simulated Kalshi markets; without them Kalshi is not recorded. */
  readonly kalshiMarkets?: number
  /** Also store a finished hour of the past, so that files can be downloaded at once. */
  readonly withPastHour?: boolean
  readonly onProgress: (line: string) => void
  readonly signal: AbortSignal
}

/** Real engines, simulated venues, all roles in processes, and one account with a key for each tier. */
export interface SimulatedService extends AsyncDisposable {
  readonly address: string
  readonly keys: Readonly<Record<Tier, string>>
  /** Address of the metrics of each process. */
  readonly metrics: Readonly<Record<string, string>>
  /** Undefined without `withPastHour`. */
  readonly pastHour: PastHour | undefined
  readonly stack: Stack
  /** Address at which faults of the simulated venues and acts of payers are ordered. */
  readonly simulatorAdmin: string
  /** Settings of its processes. */
  readonly environment: Readonly<Record<string, string>>
  /** Starts another API process with changed settings; an undefined value removes the setting. Returns its address. */
  startApi(name: string, changes: Readonly<Record<string, string | undefined>>): Promise<string>
  /** Sends a signal to the process of this name, such as SIGSTOP to `recorder`. */
  signal(name: string, signal: NodeJS.Signals): void
  /** Rejects when one of its processes ends unexpectedly. */
  readonly broken: Promise<never>
}

/** A finished hour of one-hour and five-minute Bitcoin windows, recorded from an accelerated past. */
export interface PastHour {
  readonly hourMs: number
  /** Undefined when it failed; the service works without it. */
  readonly stored: Promise<StoredHour | undefined>
}

const SERVICE = fileURLToPath(import.meta.resolve('@bookreel/service/main'))
const SIMULATOR = fileURLToPath(import.meta.resolve('@bookreel/simulator/main'))
const SEED_PAST_HOUR = fileURLToPath(import.meta.resolve('./seed-past-hour.ts'))
const PROCESSES = {
  recorder: ['capture', 'archive', 'hot', 'catalogue'],
  api: ['api'],
  background: ['payments', 'prober', 'files'],
}
const READY_WITHIN_MS = 90_000
const ENDS_WITHIN_MS = 10_000

export async function startSimulatedService(options: SimulatedServiceOptions): Promise<SimulatedService> {
  const { folder, onProgress, signal } = options
  mkdirSync(folder, { recursive: true })
  await using started = new AsyncDisposableStack()
  onProgress('starting ClickHouse, NATS, PostgreSQL, Redis and an identity provider')
  const engines = [...USUAL_ENGINES, ...OPTIONAL_ENGINES]
  const logins = newLogins()
  const stack = started.use(
    await startStack({ dir: join(folder, 'stack'), engines, users: engineUsers(logins), onProgress, signal }),
  )
  onProgress('starting the simulated venues')
  const processes = started.use(new Processes(folder))
  const { markets, kalshiMarkets = 0 } = options
  const addresses = await processes.simulator(markets, kalshiMarkets)
  const kalshiKey = kalshiMarkets > 0 ? await kalshiKeyOf(addresses) : undefined
  const port = options.port === 0 ? await freePort() : options.port
  const environment: Record<string, string> = {
    ...stack.variables,
    ...venueSettings(addresses, kalshiKey),
    ...processorSettings(addresses),
    STREAM_MAX_BYTES: '1000000000',
    OBJECT_STORE_URL: pathToFileURL(join(folder, 'objects')).href,
    MANIFEST_KEY: newSigner().pem,
    LOG_FORMAT: 'pretty',
    REQUEST_LOG: 'true',
    HTTP_PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...(options.consoleFolder !== undefined && { CONSOLE_DIR: options.consoleFolder }),
  }
  onProgress('creating streams and tables')
  await createPostgresLogins(stack, logins)
  await prepare(readConfig(environment))
  // Before the other processes start, because they leave little processor time for a while.
  const keys = await createKeys(environment)
  signal.throwIfAborted()
  onProgress('starting the recorder and the API')
  const metrics: Record<string, string> = {}
  for (const [name, roles] of Object.entries(PROCESSES) as [keyof typeof PROCESSES, string[]][]) {
    const metricsPort = String(await freePort())
    const login = settingsFor(stack, name, logins)
    processes.service(name, roles, { ...environment, ...login, METRICS_PORT: metricsPort })
    metrics[name] = `http://127.0.0.1:${metricsPort}/metrics`
  }
  const pastHour = options.withPastHour === true ? processes.pastHour(environment) : undefined
  const address = `http://127.0.0.1:${port}`
  await Promise.race([untilReady(address, keys.free, onProgress, signal), processes.broken])
  const all = started.move()
  return {
    address,
    keys,
    metrics,
    pastHour,
    stack,
    simulatorAdmin: addresses.admin,
    environment,
    startApi: (name, changes) =>
      startApi(processes, name, { ...environment, ...settingsFor(stack, 'api', logins) }, changes),
    signal: (name, given) => processes.signal(name, given),
    broken: processes.broken,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function startApi(
  processes: Processes,
  name: string,
  environment: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const port = String(await freePort())
  const metricsPort = String(await freePort())
  const settings = { ...environment, HTTP_PORT: port, METRICS_PORT: metricsPort, ...changes }
  const given = Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined)
  processes.service(name, ['api'], Object.fromEntries(given))
  const address = `http://127.0.0.1:${port}`
  const untilMs = performance.now() + READY_WITHIN_MS
  while ((await statusOf(`${address}/health/live`)) === undefined) {
    if (performance.now() > untilMs) throw new Error(`The API process ${name} did not start; see its log.`)
    await Promise.race([sleep(250), processes.broken])
  }
  return address
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    return (await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(1_000) })).status
  } catch {
    return undefined
  }
}

async function kalshiKeyOf({ admin }: Simulator['addresses']): Promise<Simulator['kalshiKey']> {
  return (await (await fetch(`${admin}/kalshi/key`)).json()) as Simulator['kalshiKey']
}

/** Child processes that end with this process. */
class Processes implements AsyncDisposable {
  readonly broken: Promise<never>
  readonly #folder: string
  readonly #children = new Map<string, ChildProcess>()
  readonly #break: (error: Error) => void
  #isStopping = false

  constructor(folder: string) {
    this.#folder = folder
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => {})
    this.broken = promise
    this.#break = reject
  }

  async simulator(markets: number, kalshiMarkets: number): Promise<Simulator['addresses']> {
    const counts = ['--markets', String(markets), '--kalshi', String(kalshiMarkets)]
    const child = this.#start(
      'simulator',
      [SIMULATOR, 'serve', '--port', '0', '--json', '--venues', 'plain', ...counts],
      {},
    )
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    const [line] = (await Promise.race([once(lines, 'line'), this.broken])) as [string]
    return JSON.parse(line) as Simulator['addresses']
  }

  service(name: string, roles: readonly string[], environment: Record<string, string>): void {
    this.#start(name, [SERVICE, 'run', ...roles], environment)
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#children.get(name)?.kill(signal)
  }

  pastHour(environment: Record<string, string>): PastHour {
    const hourMs = newestFinishedHourMs(Date.now())
    const child = this.#spawn('past-hour', [SEED_PAST_HOUR, String(hourMs)], environment)
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    const line = Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [])]) as Promise<[string?]>
    return { hourMs, stored: line.then(([text]) => (text === undefined ? undefined : JSON.parse(text))) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#children.values()].toReversed().map(stopProcess))
  }

  #start(name: string, args: readonly string[], environment: Record<string, string>): ChildProcess {
    const child = this.#spawn(name, args, environment)
    child.once('exit', (code) => {
      if (!this.#isStopping)
        this.#break(new Error(`${name} exited with ${code}; see its log: ${join(this.#folder, `${name}.log`)}`))
    })
    return child
  }

  #spawn(name: string, args: readonly string[], environment: Record<string, string>): ChildProcess {
    const log = createWriteStream(join(this.#folder, `${name}.log`))
    // Its own process group: Ctrl-C reaches only this process, which then stops the children in order.
    const env = { PATH: '/usr/bin:/bin', ...COMPILE_CACHE, ...environment }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true })
    child.stdout?.pipe(log, { end: false })
    child.stderr?.pipe(log, { end: false })
    this.#children.set(name, child)
    return child
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const killTimer = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS)
  await ended
  clearTimeout(killTimer)
}

async function createKeys(environment: Record<string, string>): Promise<Record<Tier, string>> {
  const access = openAccess(readConfig(environment), () => {})
  try {
    const made = await Promise.all(
      TIERS.map(async (tier): Promise<[Tier, string]> => {
        const { id: accountId } = await access.accounts.create(`demo ${tier}`)
        const { creditsPerMonth } = TIER_LIMITS[tier]
        if (tier !== 'free') {
          await access.accounts.setTier(accountId, { tier, monthlyCredits: creditsPerMonth })
          await access.ledger.grant({ accountId, credits: creditsPerMonth, kind: 'grant', idem: 'demo' })
        }
        return [tier, (await issueKey(access, { accountId, label: 'demo' })).key]
      }),
    )
    return Object.fromEntries(made) as Record<Tier, string>
  } finally {
    await access.close()
  }
}

/** Waits until the API serves the open window and its book. */
async function untilReady(
  address: string,
  key: string,
  onProgress: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const untilMs = performance.now() + READY_WITHIN_MS
  let reported = ''
  while (performance.now() < untilMs) {
    const health = await jsonOf<Record<string, unknown>>(`${address}/health`, key)
    const isHealthy = health?.status === 'ok'
    if (isHealthy && (await isWindowOpen(address, key))) return
    const waiting = health === undefined ? 'the API' : isHealthy ? 'the first books' : unhealthyParts(health)
    if (waiting !== reported) onProgress(`waiting for ${waiting}`)
    reported = waiting
    await sleep(250, undefined, { signal })
  }
  throw new Error(`The service was not ready within ${READY_WITHIN_MS / 1_000} s. See the logs in the folder of --dir.`)
}

function unhealthyParts(health: Record<string, unknown>): string {
  const services = Object.entries(health).filter(([name]) => name !== 'status')
  const unhealthy = services.filter(([, state]) => state === 'down' || state === 'degraded')
  return unhealthy.map(([name]) => name.replace('_', ' ')).join(', ') || 'the API'
}

async function isWindowOpen(address: string, key: string): Promise<boolean> {
  const listed = await jsonOf<unknown[]>(`${address}/v1/markets/live?crypto=BTC&timeframe=5m&limit=1`, key)
  const book = await jsonOf<{ up?: unknown }>(`${address}/v1/markets/by-slug/btc-updown-5m/orderbook`, key)
  return listed?.length === 1 && book?.up !== undefined
}

async function jsonOf<T>(url: string, key: string): Promise<T | undefined> {
  try {
    const answer = await fetch(url, { headers: { 'x-api-key': key }, signal: AbortSignal.timeout(1_000) })
    return (await answer.json()) as T
  } catch {
    return undefined
  }
}

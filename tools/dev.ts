/**
 * Starts the whole service on this machine with simulated venues: engines, simulator, recorder, API, and an API key for
 * each tier.
 */
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildConsole } from '@bookreel/console/build'
import { HOUR_MS } from '@bookreel/service/domain/finished-hour'
import type { StoredHour } from './seed-past-hour.ts'
import { type SimulatedService, startSimulatedService } from './simulated-service.ts'
import { answerHelp, refuseArguments } from './tool-help.ts'

const HELP = `npm run dev -- [options]

Starts databases, simulated venues, the recorder and the API on this machine, and prints the address, API keys and
example requests. Press Ctrl-C to stop everything; only the logs remain.

  --port <number>      port of the API (default: 8080, or a free port when 8080 is in use)
  --markets <count>    number of simulated Polymarket markets (default: 200)
  --kalshi <count>     number of simulated Kalshi markets; 0 leaves Kalshi out (default: 20)
  --dir <folder>       folder for logs and keys (default: out/dev)
  --help               show this help
  --version            print the version

Example:
  npm run dev -- --port 9000 --markets 50
`
const DEFAULT_PORT = 8080
/** The tier of `BOOKREEL_KEY`, which the examples and the command line use: the lowest with streams and history. */
const DEFAULT_KEY_TIER = 'pro'

const startedAt = performance.now()
answerHelp(HELP)
const values = readOptions()
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())

try {
  await run()
} catch (error) {
  if (!stop.signal.aborted) {
    console.error(`dev: ${(error as Error).message}`)
    process.exitCode = 1
  }
}

async function run(): Promise<void> {
  const folder = resolve(values.dir)
  const consoleFolder = join(folder, 'console-build')
  onProgress('building the web console')
  await buildConsole(consoleFolder)
  const service = await startSimulatedService({
    folder,
    consoleFolder,
    port: values.port === undefined ? await defaultOrFreePort() : wholeNumber('port', values.port),
    markets: wholeNumber('markets', values.markets),
    kalshiMarkets: wholeNumber('kalshi', values.kalshi),
    withPastHour: true,
    onProgress,
    signal: stop.signal,
  })
  try {
    const file = writeKeys(service, folder)
    console.log(welcome(service, file, folder))
    void service.pastHour?.stored.then((hour) => {
      if (!stop.signal.aborted) onProgress(storedText(hour, folder))
    })
    if (!stop.signal.aborted) await Promise.race([once(stop.signal, 'abort'), service.broken])
  } finally {
    console.log('\nStopping …')
    await service[Symbol.asyncDispose]()
    rmSync(keysFile(folder), { force: true })
    console.log('All processes have stopped.')
  }
}

function onProgress(line: string): void {
  console.log(`${seconds().padStart(6)}  ${line}`)
}

function storedText(hour: StoredHour | undefined, folder: string): string {
  if (hour === undefined) return `no finished hour was stored; see ${relative('.', join(folder, 'past-hour.log'))}`
  return `the finished hour can be downloaded: ${hour.slug} and twelve five-minute windows, ${hour.rows} rows`
}

function files({ address, keys, pastHour }: SimulatedService): string {
  if (pastHour === undefined) return ''
  const { hourMs } = pastHour
  const range = `--from ${instantText(hourMs)} --to ${instantText(hourMs + HOUR_MS)}`
  return `
A finished hour as a Parquet file (BTC/1h; BTC/5m has twelve windows). A line below says when it is ready:

  BOOKREEL_URL=${address} BOOKREEL_KEY=${keys.scale} npm run cli -- download --markets BTC/1h ${range} --out out/hour --yes
`
}

/** 2026-11-15T12:00:00Z */
function instantText(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000Z', 'Z')
}

function welcome(service: SimulatedService, file: string, folder: string): string {
  const { address, keys, metrics } = service
  const curl = (path: string, key = keys.free) => `curl -s -H 'X-API-Key: ${key}' '${address}${path}'`
  return `
Bookreel is running at ${address}/app (started in ${seconds()}).

  ${address}/app         web console: sign in with any name, create keys, buy packs (simulated payments; see docs/accounts.md)
  ${address}/app/ops     operator board: sign in as operator@example.test
  ${address}/app/status  state and uptime of the service
  ${address}/docs        API reference, with a form to try each request
  ${address}/llms.txt    API reference for language models
  ${address}/health      health of the service

Keys (\`. ${relative('.', file)}\` sets BOOKREEL_URL, BOOKREEL_KEY (${DEFAULT_KEY_TIER}) and BOOKREEL_KEY_<TIER>):

${Object.entries(keys)
  .map(([tier, key]) => `  ${tier.padEnd(12)}${key}`)
  .join('\n')}

Example requests: the open Bitcoin window, and its book:

  ${curl('/v1/markets/live?crypto=BTC&timeframe=5m&limit=1')}

  ${curl('/v1/markets/by-slug/btc-updown-5m/orderbook')}

Markets of Kalshi:

  ${curl('/v1/markets/live?venue=kalshi&limit=2', keys.pro)}
${files(service)}
For operators: npm run watch (live statistics), npm run server -- --help, logs in ${relative('.', folder)}/*.log, and metrics:

${Object.entries(metrics)
  .map(([name, url]) => `  ${name.padEnd(12)}${url}`)
  .join('\n')}

Press Ctrl-C to stop everything.`
}

function keysFile(folder: string): string {
  return join(folder, 'keys.env')
}

function writeKeys({ address, keys }: SimulatedService, folder: string): string {
  const file = keysFile(folder)
  const variables = [
    `BOOKREEL_URL=${address}`,
    `BOOKREEL_KEY=${keys[DEFAULT_KEY_TIER]}`,
    ...Object.entries(keys).map(([tier, key]) => `BOOKREEL_KEY_${tier.toUpperCase()}=${key}`),
  ]
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, variables.map((variable) => `export ${variable}\n`).join(''), { mode: 0o600 })
  return file
}

async function defaultOrFreePort(): Promise<number> {
  const server = createServer()
  const isFree = new Promise<boolean>((settle) => {
    server.once('error', () => settle(false)).listen(DEFAULT_PORT, '127.0.0.1', () => server.close(() => settle(true)))
  })
  return (await isFree) ? DEFAULT_PORT : 0
}

function readOptions() {
  try {
    const { values: given } = parseArgs({
      options: {
        port: { type: 'string' },
        markets: { type: 'string', default: '200' },
        kalshi: { type: 'string', default: '20' },
        dir: { type: 'string', default: 'out/dev' },
      },
    })
    return given
  } catch (error) {
    return refuseArguments((error as Error).message)
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  return refuseArguments(`--${name} must be a whole number, got ${text}`)
}

function seconds(): string {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`
}

/**
 * The whole service on this machine, with venues that live here too: engines, simulator, recorder, API, and a
 * key of each tier to try it with.
 */
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type SimulatedService, startSimulatedService } from './simulated-service.ts'

const HELP = `npm run dev -- [options]

Starts engines, simulated venues, the recorder and the API; prints the address, keys and a request to try.
Ctrl-C ends everything.

  --port <number>      where the API listens; 8080 when free, else any that is
  --markets <count>    how many binary markets the simulated venue lists (200)
  --dir <folder>       logs and keys (out/dev)
  --help               this
`
const USUAL_PORT = 8080

const startedAt = performance.now()
const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    markets: { type: 'string', default: '200' },
    dir: { type: 'string', default: 'out/dev' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
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
  const service = await startSimulatedService({
    folder,
    port: values.port === undefined ? await usualOrFree() : wholeNumber('port', values.port),
    markets: wholeNumber('markets', values.markets),
    onProgress: (line) => console.log(`${seconds().padStart(6)}  ${line}`),
    signal: stop.signal,
  })
  try {
    const file = writeKeys(service, folder)
    console.log(welcome(service, file))
    if (!stop.signal.aborted) await Promise.race([once(stop.signal, 'abort'), service.broken])
  } finally {
    console.log('\nStopping …')
    await service[Symbol.asyncDispose]()
    rmSync(keysFile(folder), { force: true })
    console.log('Everything has ended.')
  }
}

function welcome({ address, keys }: SimulatedService, file: string): string {
  const ask = (path: string) => `curl -s -H 'X-API-Key: ${keys.free}' '${address}${path}'`
  return `
Bookreel answers at ${address} after ${seconds()}.

  ${address}/docs        the reference, to read and to try
  ${address}/llms.txt    the same for programs
  ${address}/account     sign in by any name, make keys
  ${address}/health

Keys (also in ${relative('.', file)}):

${Object.entries(keys)
  .map(([tier, key]) => `  ${tier.padEnd(12)}${key}`)
  .join('\n')}

The Bitcoin window that is open now, and its book:

  ${ask('/v1/markets/live?crypto=BTC&timeframe=5m&limit=1')}

  ${ask('/v1/markets/by-slug/btc-updown-5m/orderbook')}

Ctrl-C ends everything.`
}

function keysFile(folder: string): string {
  return join(folder, 'keys.env')
}

function writeKeys({ address, keys }: SimulatedService, folder: string): string {
  const file = keysFile(folder)
  const lines = Object.entries(keys).map(([tier, key]) => `BOOKREEL_KEY_${tier.toUpperCase()}=${key}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `BOOKREEL_URL=${address}\n${lines.join('\n')}\n`, { mode: 0o600 })
  return file
}

async function usualOrFree(): Promise<number> {
  const server = createServer()
  const isFree = new Promise<boolean>((settle) => {
    server.once('error', () => settle(false)).listen(USUAL_PORT, '127.0.0.1', () => server.close(() => settle(true)))
  })
  return (await isFree) ? USUAL_PORT : 0
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new Error(`--${name} takes a whole number`)
}

function seconds(): string {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`
}

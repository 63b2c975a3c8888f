import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { FAULT_KINDS, type FaultKind } from './faults/fault-list.ts'
import { FaultOrderSchema } from './faults/fault-order.ts'
import type { FaultOrder } from './faults/switchboard.ts'
import { listen } from './listen.ts'
import { recordTape, startForTape } from './polymarket/tape/record-tape.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts'
import { BEHAVIOURS, type Behaviour, REALISTIC } from './world/behaviours.ts'
import { BROKEN_RULES, type BrokenRule } from './world/broken-rules.ts'
import { usualSize, type WorldSize } from './world/roster.ts'

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('Must be a whole number, 0 or more.')
  return number
}

function positiveNumber(text: string): number {
  const number = Number(text)
  if (!(number > 0)) throw new InvalidArgumentError('Must be a number above 0.')
  return number
}

function moment(text: string): number {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw new InvalidArgumentError('Must be a time such as 2026-11-15T12:00:00Z.')
  return atMs
}

/** Parses `drop:rate=0.01,feed=polymarket` into the body that POST /admin/faults takes. */
function faultOrder(text: string, before: FaultOrder[]): FaultOrder[] {
  const [name, settings = ''] = text.split(/:(.*)/s)
  const order: Record<string, unknown> = { name }
  const target: Record<string, string> = {}
  const options: Record<string, number> = {}
  for (const setting of settings.split(',').filter((part) => part !== '')) {
    const [key = '', value = ''] = setting.split('=')
    if (key === 'feed' || key === 'market' || key === 'connection') target[key] = value
    else if (key === 'rate' || key === 'times') order[key] = Number(value)
    else options[key] = Number(value)
  }
  const parsed = FaultOrderSchema.safeParse({ ...order, target, options })
  if (!parsed.success) throw new InvalidArgumentError(`\n${z.prettifyError(parsed.error)}`)
  return [...before, parsed.data]
}

function listOfSwitches(): string {
  const rows = Object.entries<FaultKind>(FAULT_KINDS).map(([name, { says, options = {} }]) => {
    const extras = Object.entries(options).map(([key, { usual }]) => `${key}=${usual}`)
    return `  ${name.padEnd(24)} ${says}${extras.length > 0 ? ` (${extras.join(', ')})` : ''}`
  })
  const habits = Object.entries(BEHAVIOURS).map(([name, says]) => `  ${name.padEnd(32)} ${says}`)
  const rules = Object.entries(BROKEN_RULES).map(([name, says]) => `  ${name.padEnd(32)} ${says}`)
  return `\nExamples:\n  $ npm run sim\n  $ npm run sim -- --markets 50 --seed demo --fault drop:rate=0.01,feed=polymarket\n\nFaults for --fault, with default options (at run time: POST /admin/faults):\n${rows.join('\n')}\n\nHabits of realistic venues, for --without:\n${habits.join('\n')}\n\nRules of the venues, for --broken:\n${rules.join('\n')}\n`
}

function behaviour(text: string, before: Behaviour[]): Behaviour[] {
  if (!(text in BEHAVIOURS)) throw new InvalidArgumentError(`Must be one of ${REALISTIC.join(', ')}.`)
  return [...before, text as Behaviour]
}

function brokenRule(text: string, before: BrokenRule[]): BrokenRule[] {
  if (!(text in BROKEN_RULES)) throw new InvalidArgumentError(`Must be one of ${Object.keys(BROKEN_RULES).join(', ')}.`)
  return [...before, text as BrokenRule]
}

interface ServeOptions extends Partial<WorldSize>, Pick<SimulatorOptions, 'seed' | 'speed' | 'port'> {
  markets: number
  at?: number
  fault: FaultOrder[]
  venues: 'plain' | 'realistic'
  without: Behaviour[]
  broken: BrokenRule[]
  past: number
  kalshi: number
  tape: number
  json?: true
}

/** Writes the tape of a world that starts when the tape is complete, and waits for that start. */
async function tapeAhead(
  world: Pick<SimulatorOptions, 'seed' | 'size'>,
  given: ServeOptions,
): Promise<Pick<SimulatorOptions, 'startMs' | 'pastMs' | 'tape'>> {
  const isPlain = given.venues === 'plain' && given.broken.length === 0 && given.fault.length === 0
  if (!isPlain || given.at !== undefined || given.speed !== 1 || given.past > 0)
    throw new Error('A tape needs --venues plain, and neither faults nor a time or speed of its own.')
  const tape = await recordTape({ ...world, startMs: startForTape(world, given.tape) }, given.tape)
  await sleep(Math.max(0, tape.startMs - Date.now()))
  const startMs = Date.now()
  return { tape, startMs, pastMs: startMs - tape.startMs }
}

async function serve(given: ServeOptions): Promise<void> {
  const world = { seed: given.seed, size: { ...usualSize(given.markets), ...sizesGiven(given) } }
  let started: Simulator | undefined
  const end = (): void => void (started?.stop() ?? Promise.resolve()).then(() => process.exit(0))
  // Ends with the process that holds its IPC channel, also while a tape is written.
  process.once('SIGINT', end).once('SIGTERM', end).once('disconnect', end)
  const simulator = await startSimulator({
    ...world,
    startMs: given.at ?? Date.now(),
    pastMs: given.past * MINUTE_MS,
    ...(given.tape > 0 && (await tapeAhead(world, given))),
    speed: given.speed,
    port: given.port,
    faults: given.fault,
    broken: given.broken,
    ...(given.kalshi > 0 && { kalshi: usualSize(given.kalshi) }),
    behaviours: given.venues === 'plain' ? [] : REALISTIC.filter((name) => !given.without.includes(name)),
  })
  started = simulator
  if (given.json) return console.log(JSON.stringify(simulator.addresses))
  console.log(`Simulator running: ${simulator.world.markets.size} markets, seed "${given.seed}". Addresses:\n`)
  for (const [name, address] of Object.entries(simulator.addresses)) console.log(`  ${name.padEnd(14)} ${address}`)
  const port = new URL(simulator.addresses.gamma).port
  console.log(`\nList a market: curl '${simulator.addresses.gamma}/events/keyset?series_id=10684&limit=1'`)
  console.log(`Watch a book:  npm run sim -- listen${port === String(DEFAULT_PORT) ? '' : ` --port ${port}`}`)
  console.log('\nPress Ctrl-C to stop.')
}

function sizesGiven({ hot, medium, cold }: Partial<WorldSize>): Partial<WorldSize> {
  return {
    ...(hot !== undefined && { hot }),
    ...(medium !== undefined && { medium }),
    ...(cold !== undefined && { cold }),
  }
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const DEFAULT_PORT = 4800
const MINUTE_MS = 60_000
const PAYMENTS = `
Payments:
  The simulated NOWPayments and BTCPay answer an order with the address of an invoice page (invoice_url of the service).
  Open the page to pay in full, in part or too much, or to let the invoice expire or fail. From a shell:
    $ curl -s -d act=pay <invoice_url>
  Other acts: pay-half, pay-too-much, expire, fail, refund, mark. Without -d the answer lists those that are possible now.
  GET /admin/payments/invoices lists all invoices. POST /admin/payments/delivery loses, repeats or delays callbacks.

Run 'npm run sim -- serve --help' for the options of the simulator and the faults that it can inject.

Example:
  $ npm run sim -- --markets 50 --seed demo
`
const program = new Command('npm run sim --')
  .description(
    'Simulates Polymarket, Kalshi, Hyperliquid, Binance spot and two payment processors on this machine. The same seed gives the same data.',
  )
  .addHelpText('after', PAYMENTS)
program
  .command('serve', { isDefault: true })
  .description('start the simulator (the default command)')
  .option('--seed <text>', 'seed of the simulated world; the same seed and times give the same frames', 'bookreel')
  .option(
    '--markets <count>',
    'number of live binary markets: 7.5 % hot, 17.5 % medium, the rest cold',
    wholeNumber,
    200,
  )
  .addOption(
    new Option('--hot <count>', 'number of markets with 16 changes/s, instead of the default share').argParser(
      wholeNumber,
    ),
  )
  .addOption(new Option('--medium <count>', 'number of markets with 2 changes/s').argParser(wholeNumber))
  .addOption(new Option('--cold <count>', 'number of markets with 0.15 changes/s').argParser(wholeNumber))
  .option(
    '--kalshi <count>',
    'number of live Kalshi markets; GET /admin/kalshi/key returns the key with which clients sign',
    wholeNumber,
    0,
  )
  .addOption(new Option('--at <time>', 'start time of the simulated clock').argParser(moment).default(undefined, 'now'))
  .option('--speed <factor>', 'speed of the simulated clock, as a multiple of real time', positiveNumber, 1)
  .option('--port <number>', 'port on 127.0.0.1; 0 chooses a free port', wholeNumber, DEFAULT_PORT)
  .option('--fault <name:key=value,…>', 'inject a fault from the start; may be repeated', faultOrder, [])
  .addOption(
    new Option('--venues <kind>', 'realistic venues have the measured habits of the real ones, plain venues have none')
      .choices(['plain', 'realistic'])
      .default('realistic'),
  )
  .option('--without <habit>', 'realistic venues without this habit; may be repeated', behaviour, [])
  .option('--broken <rule>', 'venues that do not keep this rule; may be repeated', brokenRule, [])
  .option(
    '--past <minutes>',
    'minutes that the world has lived at the start, so that some windows have ended',
    wholeNumber,
    0,
  )
  .option(
    '--tape <seconds>',
    'write the frames of so many seconds ahead of time, and start then; a client then costs little CPU. Needs --venues plain',
    wholeNumber,
    0,
  )
  .option('--json', 'print only the addresses, as one line of JSON')
  .addHelpText('after', listOfSwitches())
  .action(serve)
program
  .command('listen')
  .description('print the live frames of one market of a running simulator')
  .argument('[slug]', 'slug of the market (default: the open five-minute Bitcoin window)')
  .option('--port <number>', 'port of the simulator', wholeNumber, DEFAULT_PORT)
  .option('--raw', 'print whole frames instead of one short line each')
  .addHelpText('after', '\nExamples:\n  $ npm run sim -- listen\n  $ npm run sim -- listen btc-updown-5m --raw')
  .action((slug: string | undefined, { port, raw }: { port: number; raw?: true }) =>
    listen({ base: `127.0.0.1:${port}`, slug, isRaw: raw === true, print: (line) => console.log(line) }),
  )

for (const command of [program, ...program.commands]) command.version(version, '--version', 'print the version')

// A reader such as `head` may close the pipe early: not an error.
process.stdout.on('error', () => process.exit(0))
await program.parseAsync().catch((error: Error) => program.error(error.message))

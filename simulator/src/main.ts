import { Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { FAULT_KINDS, type FaultKind } from './faults/fault-list.ts'
import { FaultOrderSchema } from './faults/fault-order.ts'
import type { FaultOrder } from './faults/switchboard.ts'
import { listen } from './listen.ts'
import { type SimulatorOptions, startSimulator } from './simulator.ts'
import { usualSize, type WorldSize } from './world/roster.ts'

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('Give a whole number, 0 or more.')
  return number
}

function positiveNumber(text: string): number {
  const number = Number(text)
  if (!(number > 0)) throw new InvalidArgumentError('Give a number above 0.')
  return number
}

function moment(text: string): number {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw new InvalidArgumentError('Give a time such as 2026-11-15T12:00:00Z.')
  return atMs
}

/** `drop:rate=0.01,feed=polymarket` → the same order the admin endpoint takes. */
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

function listOfFaults(): string {
  const rows = Object.entries<FaultKind>(FAULT_KINDS).map(([name, { says, options = {} }]) => {
    const extras = Object.entries(options).map(([key, { usual }]) => `${key}=${usual}`)
    return `  ${name.padEnd(24)} ${says}${extras.length > 0 ? ` (${extras.join(', ')})` : ''}`
  })
  return `\nFaults (also at run time: POST /admin/faults):\n${rows.join('\n')}\n`
}

interface ServeOptions extends Partial<WorldSize>, Pick<SimulatorOptions, 'seed' | 'speed' | 'port'> {
  markets: number
  at?: number
  fault: FaultOrder[]
  json?: true
}

async function serve(given: ServeOptions): Promise<void> {
  const simulator = await startSimulator({
    seed: given.seed,
    startMs: given.at ?? Date.now(),
    size: { ...usualSize(given.markets), ...sizesGiven(given) },
    speed: given.speed,
    port: given.port,
    faults: given.fault,
  })
  const end = (): void => void simulator.stop().then(() => process.exit(0))
  // Whoever keeps a line to it takes it along.
  process.once('SIGINT', end).once('SIGTERM', end).once('disconnect', end)
  if (given.json) return console.log(JSON.stringify(simulator.addresses))
  console.log(`A world of ${simulator.world.markets.size} markets, seed "${given.seed}", is open:\n`)
  for (const [name, address] of Object.entries(simulator.addresses)) console.log(`  ${name.padEnd(14)} ${address}`)
  const port = new URL(simulator.addresses.gamma).port
  console.log(`\nA market:      curl '${simulator.addresses.gamma}/events/keyset?series_id=10684&limit=1'`)
  console.log(`Its live book: npm run sim -- listen${port === String(USUAL_PORT) ? '' : ` --port ${port}`}`)
  console.log('\nCtrl-C ends it.')
}

function sizesGiven({ hot, medium, cold }: Partial<WorldSize>): Partial<WorldSize> {
  return {
    ...(hot !== undefined && { hot }),
    ...(medium !== undefined && { medium }),
    ...(cold !== undefined && { cold }),
  }
}

const USUAL_PORT = 4800
const program = new Command('npm run sim --').description(
  'Venues that live on this machine: Polymarket, Hyperliquid and Binance spot, made from one seed; and two payment processors.',
)
program
  .command('serve', { isDefault: true })
  .description('open the world (this is what happens without a command)')
  .option('--seed <text>', 'what the world is made from; same seed and times, same frames', 'bookreel')
  .option('--markets <count>', 'live binary markets, 7.5 % hot, 17.5 % medium, the rest cold', wholeNumber, 200)
  .addOption(
    new Option('--hot <count>', 'markets with 16 changes/s, instead of the usual share').argParser(wholeNumber),
  )
  .addOption(new Option('--medium <count>', 'markets with 2 changes/s').argParser(wholeNumber))
  .addOption(new Option('--cold <count>', 'markets with 0.15 changes/s').argParser(wholeNumber))
  .addOption(new Option('--at <time>', "where the world's clock starts").argParser(moment).default(undefined, 'now'))
  .option('--speed <factor>', 'how many times faster than ours its clock runs', positiveNumber, 1)
  .option('--port <number>', 'the one port it listens on, 127.0.0.1 only; 0 takes a free one', wholeNumber, USUAL_PORT)
  .option('--fault <name:key=value,…>', 'a fault to start with; may be repeated', faultOrder, [])
  .option('--json', 'print the addresses as one line of JSON')
  .addHelpText('after', listOfFaults())
  .action(serve)
program
  .command('listen')
  .description('follow one market of a running simulator and print its frames')
  .argument('[slug]', 'the market; the open five-minute Bitcoin window when left out')
  .option('--port <number>', 'where the simulator listens', wholeNumber, USUAL_PORT)
  .option('--raw', 'print the frames byte for byte instead of one short line each')
  .action((slug: string | undefined, { port, raw }: { port: number; raw?: true }) =>
    listen({ base: `127.0.0.1:${port}`, slug, isRaw: raw === true, print: (line) => console.log(line) }),
  )

// A reader that has seen enough, such as head, closes the pipe: no failure.
process.stdout.on('error', () => process.exit(0))
await program.parseAsync().catch((error: Error) => program.error(error.message))

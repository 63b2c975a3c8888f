/**
 * A paper-trading bot that runs unchanged on live and on replayed data.
 *
 *   npm run bot -- --coin BTC --timeframe 5m
 *   npm run bot -- --coin BTC --timeframe 5m --replay 2m..now
 *
 * The trading rule is only an example: buy UP when the best ask is well below the running mean, sell when the best bid
 * is well above it. Worth copying: fills that walk the ladder, and no trade on an unreliable book.
 */
import { parseArgs } from 'node:util'
import { BookKeeper, Bookreel, BookreelError, type KeptMarket, type Selector, type StreamEvent } from '@bookreel/sdk'

const HELP = `npm run bot -- [options]

Simulates trades on the live books of a market, or with --replay on recorded ones. Nothing is traded.

  --url <address>       address of the service (default: BOOKREEL_URL, else http://127.0.0.1:8080)
  --key <key>           API key of the tier pro or higher (default: BOOKREEL_KEY)
  --coin <coin>         BTC, ETH, … (default: BTC)
  --timeframe <length>  5m, 15m, 1h, 4h or 1d (default: 5m)
  --market <id>         condition id of one market, instead of --coin and --timeframe
  --replay <from..to>   recorded range, such as 2026-11-15T12:00:00Z..2026-11-15T13:00:00Z, or 15m..now for the last 15 minutes
  --speed <number|max>  speed of the replay: 1 is real time (default: max)
  --size <shares>       shares per trade (default: 25)
  --edge <usd>          distance from the mean price that starts a trade (default: 0.02)
  --minutes <number>    length of a live run (default: 5)
  --help                show this help
`

const args = readArguments()

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: 'string', default: process.env.BOOKREEL_URL ?? 'http://127.0.0.1:8080' },
        key: { type: 'string', default: process.env.BOOKREEL_KEY ?? '' },
        coin: { type: 'string', default: 'BTC' },
        timeframe: { type: 'string', default: '5m' },
        market: { type: 'string' },
        replay: { type: 'string' },
        speed: { type: 'string', default: 'max' },
        size: { type: 'string', default: '25' },
        edge: { type: 'string', default: '0.02' },
        minutes: { type: 'string', default: '5' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      console.log(HELP)
      process.exit(0)
    }
    if (!URL.canParse(values.url)) throw new Error(`--url must look like http://127.0.0.1:8080, got ${values.url}`)
    if (values.key === '') throw new Error('--key is missing. Give an API key with --key or BOOKREEL_KEY.')
    const [size, edge, minutes] = [above0('size'), above0('edge'), above0('minutes')]
    const speed = values.speed === 'max' ? 'max' : above0('speed')
    return { ...values, size, edge, minutes, speed, replay: rangeOf(values.replay) } as const

    function above0(name: 'size' | 'edge' | 'minutes' | 'speed'): number {
      if (Number(values[name]) > 0) return Number(values[name])
      throw new Error(`--${name} must be a number above 0${name === 'speed' ? ' or max' : ''}, got ${values[name]}`)
    }
  } catch (error) {
    console.error(`bot: ${(error as Error).message}\nnpm run bot -- --help lists the options.`)
    process.exit(2)
  }
}

function rangeOf(text: string | undefined): { from: number; to: number } | undefined {
  if (text === undefined) return undefined
  const [from = Number.NaN, to = Number.NaN] = text.split('..').map(momentOf)
  if (from < to) return { from, to }
  throw new Error(
    `--replay must be FROM..TO with FROM before TO, such as 2026-11-15T12:00:00Z..2026-11-15T13:00:00Z or 15m..now, got ${text}`,
  )
}

/** A time, or how many minutes or hours ago. */
function momentOf(text: string): number {
  const [, count, unit] = /^(\d+)([mh])$/.exec(text) ?? []
  if (count !== undefined) return Date.now() - Number(count) * (unit === 'm' ? 60_000 : 3_600_000)
  return text === 'now' ? Date.now() : Date.parse(text)
}

const SIZE = args.size
const EDGE = args.edge
/** Weight of each new mid price in the running mean. */
const WEIGHT = 0.02
/** Number of books before the mean is used. */
const WARM_UP = 20

interface Position {
  shares: number
  mean: number
  books: number
  /** Value of the shares at the current bids. */
  worth: number
}

interface Fill {
  readonly shares: number
  readonly usd: number
}

/** Fills an order level by level; the fill is partial when the ladder is too short. */
function walk(levels: readonly (readonly [price: number, size: number])[], shares: number): Fill {
  let left = shares
  let usd = 0
  for (const [price, size] of levels) {
    const taken = Math.min(left, size)
    usd += taken * price
    left -= taken
    if (left === 0) break
  }
  return { shares: shares - left, usd }
}

class PaperBot {
  readonly #books = new BookKeeper()
  readonly #positions = new Map<string, Position>()
  #cash = 0
  #fills = 0
  #slots = 0
  #doubts = 0

  handle(event: StreamEvent): void {
    const changed = this.#books.apply(event)
    if (changed !== undefined) this.#trade(changed)
    else if (event.type === 'gap' || event.type === 'skipped') {
      this.#doubts++
      console.log(`${event.type} in ${event.market.slice(0, 10)}: slots ${event.from_seq} to ${event.to_seq}`)
    } else if (event.type === 'disconnected' || event.type === 'reconnected') console.log(event.type)
    else if (event.type === 'rolled') console.log(`next window: ${event.slug ?? event.market}`)
  }

  #trade(market: KeptMarket): void {
    const { up, isTrusted, frame } = market
    const { mid, bestBid, bestAsk } = up
    if (++this.#slots === 1)
      console.log(`first book: ${market.market.slice(0, 10)} ${bestBid ?? '–'} / ${bestAsk ?? '–'}`)
    if (!isTrusted || mid === undefined || bestBid === undefined || bestAsk === undefined) return
    const position = this.#positions.get(market.market) ?? { shares: 0, mean: mid, books: 0, worth: 0 }
    this.#positions.set(market.market, position)
    if (++position.books > WARM_UP) {
      if (position.shares === 0 && bestAsk < position.mean - EDGE) this.#fill(market, position, walk(up.asks, SIZE), 1)
      else if (position.shares > 0 && bestBid > position.mean + EDGE) {
        this.#fill(market, position, walk(up.bids, position.shares), -1)
      }
    }
    position.mean += WEIGHT * (mid - position.mean)
    position.worth = walk(up.bids, position.shares).usd
    if (frame.flags.includes('suspect')) this.#doubts++
  }

  #fill({ market, capturedAt }: KeptMarket, position: Position, { shares, usd }: Fill, sign: 1 | -1): void {
    position.shares += sign * shares
    this.#cash -= sign * usd
    this.#fills++
    const action = `${sign > 0 ? 'buys ' : 'sells'} ${shares} UP at ${(usd / shares).toFixed(4)}`
    console.log(
      `${new Date(capturedAt).toISOString()} ${market.slice(0, 10)} ${action} (mean ${position.mean.toFixed(4)})`,
    )
  }

  summary(): string {
    const worth = [...this.#positions.values()].reduce((sum, position) => sum + position.worth, 0)
    const result = (this.#cash + worth).toFixed(2)
    return `${this.#slots} books, ${this.#fills} fills, ${this.#doubts} doubts, result ${result} USD (of it ${worth.toFixed(2)} still held)`
  }
}

const client = new Bookreel({ baseUrl: args.url, key: args.key })
const selector = (
  args.market === undefined ? { coin: args.coin, timeframe: args.timeframe } : { market: args.market }
) as Selector
const request = { selectors: [selector], options: { mode: 'delta' } } as const
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(args.minutes * 60_000)])
const { replay, speed } = args
const events =
  replay === undefined
    ? client.stream(request, { signal })
    : client.replay({ ...request, ...replay, speed }, { signal: stop.signal })

const bot = new PaperBot()
const subject = args.market ?? `the ${args.timeframe} window of ${args.coin}`
const period =
  replay === undefined
    ? `for ${args.minutes} minute${args.minutes === 1 ? '' : 's'}, live; press Ctrl-C to stop`
    : `from ${new Date(replay.from).toISOString()} to ${new Date(replay.to).toISOString()}, replayed`
console.log(`Trading ${subject} ${period}`)
try {
  for await (const event of events) bot.handle(event)
} catch (error) {
  if (!(error instanceof BookreelError)) throw error
  console.error(`${error.code}: ${error.message}`)
  process.exit(1)
}
console.log(bot.summary())

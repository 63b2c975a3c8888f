import type { Random } from '@bookreel/simulator/world/random'
import type { Operation, Parameter } from '../published-schema.ts'

/** What is recorded of a market or of a perpetual future. */
interface Recorded {
  readonly fromMs: number
  readonly toMs: number
  readonly intervalMs: number
}

export interface KnownMarket extends Recorded {
  readonly id: string
  readonly slug: string
}

interface KnownPerp extends Recorded {
  readonly symbol: string
}

/** Valid values from the recorded world. */
export interface Facts {
  /** Live ones, the one that ends last first. */
  readonly markets: readonly KnownMarket[]
  readonly pastMarket: KnownMarket
  readonly perps: readonly KnownPerp[]
  readonly pastPerp: KnownPerp
  /** Slugs of events, the largest first. */
  readonly events: readonly string[]
  /** Of the questions of markets. */
  readonly words: readonly string[]
  /** Ids of samples. */
  readonly samples: readonly string[]
  /** Ids of files. */
  readonly files: readonly string[]
  /** Ids of the keys that are sent. */
  readonly keyIds: readonly string[]
}

/** What a signed-in user has. */
export interface Owned {
  readonly keyIds: readonly string[]
  /** Keys for requests that revoke one, so that the others go on working. */
  readonly spareKeyIds: readonly string[]
  readonly invoiceIds: readonly string[]
}

const COINS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC', 'btc', 'all']
const TIMEFRAMES = ['5m', '15m', '1h', '4h', '1d', 'all', 'hit-price', 'game', 'daily-high']
const SUBCATEGORIES = ['BTC', 'ETH', 'NBA', 'NFL', 'FOMC', 'London', 'Elon', 'SPX']
/** Of books of perps; their prices differ by a factor of a million. */
const PRICE_STEPS = ['0.0001', '0.001', '0.01', '0.1', '0.5', '1', '5', '20', '100']
const GROUPS = ['day', 'key', 'endpoint', 'day,key', 'key,endpoint', 'day,key,endpoint']
const DAY_MS = 86_400_000
const MOST_DAYS = 20
const MOST_MARKETS = 5
const PAST_SHARE = 0.2

export interface ValuesOptions {
  readonly facts: Facts
  readonly owned: Owned | undefined
  /** Of the parameters that may be left out, so many are given. */
  readonly optionalShare: number
}

/** Of whom or what one request is. */
interface Subject extends ValuesOptions {
  readonly market: KnownMarket
  readonly perp: KnownPerp
  readonly recorded: Recorded
}

/** Values of all path parameters and of the chosen query parameters. */
export function validValues(operation: Operation, options: ValuesOptions, draw: Random): Map<string, string> {
  const values = new Map<string, string>()
  const subject = subjectOf(operation, options, draw)
  for (const parameter of operation.parameters) {
    if (!parameter.required && !draw.chance(options.optionalShare)) continue
    values.set(parameter.name, valueFor(operation, parameter, subject, draw))
  }
  orderTimes(values)
  if (operation.parameters.some(({ name }) => name === 'notional')) {
    values.delete(draw.chance(0.5) ? 'size' : 'notional')
    if (!values.has('size') && !values.has('notional')) values.set('size', String(draw.whole(1, 5_000)))
  }
  if (!['csv', 'tsv'].includes(values.get('format') ?? 'json')) values.delete('spreadsheet_safe')
  // A cursor comes from an earlier page, so second pages are requested by their whole URL.
  values.delete('cursor')
  return values
}

/** Only the past has whole hours. */
function subjectOf({ path, parameters }: Operation, options: ValuesOptions, draw: Random): Subject {
  const { markets, pastMarket, perps, pastPerp } = options.facts
  const isPast = parameters.some(({ name }) => name === 'hour') || draw.chance(PAST_SHARE * options.optionalShare)
  const market = isPast ? pastMarket : draw.pick(markets)
  const perp = isPast ? pastPerp : draw.pick(perps)
  return { ...options, market, perp, recorded: path.startsWith('/v1/exchange/') ? perp : market }
}

function valueFor(operation: Operation, { name, schema }: Parameter, subject: Subject, draw: Random): string {
  const { facts, owned, market, perp, recorded } = subject
  switch (name) {
    case 'symbol':
      return perp.symbol
    case 'id':
      return draw.pick(operation.path.startsWith('/v1/files/') ? facts.files : [market.id])
    case 'marketId':
    case 'market':
      return market.id
    case 'markets':
    case 'ids':
      return Array.from({ length: draw.whole(1, MOST_MARKETS) }, () => draw.pick(facts.markets).id).join(',')
    case 'slug':
      return draw.chance(0.8) ? market.slug : `${draw.pick(['btc', 'eth', 'sol'])}-updown-5m`
    case 'event':
      return draw.pick(facts.events)
    case 'sample':
      return draw.pick(facts.samples)
    case 'q':
      return draw.pick(facts.words)
    case 'key_id':
      if (owned === undefined) return draw.pick(facts.keyIds)
      return draw.pick(operation.method === 'DELETE' ? owned.spareKeyIds : owned.keyIds)
    case 'invoice_id':
      return draw.pick(owned?.invoiceIds ?? [])
    case 'crypto':
    case 'coin':
      if (!Array.isArray(schema.enum)) return draw.pick(COINS)
      break
    case 'timeframe':
      return draw.pick(TIMEFRAMES)
    case 'subcategory':
      return draw.pick(SUBCATEGORIES)
    case 'group_by':
      return draw.pick(GROUPS)
    case 'column_ms':
      return String(recorded.intervalMs * 2 ** draw.whole(0, 8))
    case 'price_step':
      if (!Array.isArray(schema.enum)) return draw.pick(PRICE_STEPS)
      break
    case 'hour':
      return new Date(recorded.fromMs).toISOString()
  }
  return valueOfSchema(name, schema, recorded, draw)
}

function valueOfSchema(name: string, schema: Parameter['schema'], { fromMs, toMs }: Recorded, draw: Random): string {
  if (Array.isArray(schema.enum)) return name === 'format' && draw.chance(0.6) ? 'json' : draw.pick(schema.enum)
  if (schema.format === 'date-time') return momentText(draw.whole(fromMs, toMs), draw)
  if (schema.format === 'date') {
    const day = new Date(Date.now() + (1 - draw.whole(0, MOST_DAYS)) * DAY_MS)
    return day.toISOString().slice(0, 10)
  }
  const most = Number(schema.maximum ?? 1_000)
  switch (schema.type) {
    case 'integer':
      return String(draw.whole(Number(schema.minimum ?? 0), Math.min(most, 500)))
    case 'number':
      return String((draw.whole(1, 1_000) / 1_000) * Math.min(most, 1_000))
    case 'boolean':
      return draw.pick(['true', 'false'])
    default:
      return 'a'.repeat(Math.max(1, Number(schema.minLength ?? 1)))
  }
}

function momentText(ms: number, draw: Random): string {
  const forms = [new Date(ms).toISOString(), String(ms), String(Math.floor(ms / 1_000))]
  return draw.pick(forms)
}

function orderTimes(values: Map<string, string>): void {
  const [from, to] = [values.get('from'), values.get('to')]
  if (from === undefined || to === undefined || msOf(from) < msOf(to)) return
  values.set('from', to)
  values.set('to', from)
}

function msOf(text: string): number {
  if (!/^\d+$/.test(text)) return Date.parse(text)
  return text.length <= 10 ? Number(text) * 1_000 : Number(text)
}

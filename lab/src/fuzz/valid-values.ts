import type { Random } from '@bookreel/simulator/world/random'
import type { Operation, Parameter } from '../published-schema.ts'

/** Valid values from the recorded world. */
export interface Facts {
  readonly ids: readonly string[]
  readonly slugs: readonly string[]
  /** Ids of files. */
  readonly files: readonly string[]
  /** The recorded range. */
  readonly fromMs: number
  readonly toMs: number
  /** URLs of second pages. */
  readonly pages: readonly string[]
}

const COINS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC', 'btc', 'all']
const TIMEFRAMES = ['5m', '15m', '1h', '4h', '1d', 'all', 'hit-price', 'game', 'daily-high']
const SUBCATEGORIES = ['BTC', 'ETH', 'NBA', 'NFL', 'FOMC', 'London', 'Elon', 'SPX']
const HOUR_MS = 3_600_000
const MOST_MARKETS = 5

/** Values of all path parameters and of the chosen query parameters. */
export function validValues(operation: Operation, facts: Facts, draw: Random): Map<string, string> {
  const values = new Map<string, string>()
  for (const parameter of operation.parameters) {
    if (!parameter.required && !draw.chance(0.3)) continue
    const isFile = parameter.name === 'id' && operation.path.startsWith('/v1/files/')
    values.set(parameter.name, isFile ? draw.pick(facts.files) : valueFor(parameter, facts, draw))
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

function valueFor({ name, schema }: Parameter, facts: Facts, draw: Random): string {
  if (Array.isArray(schema.enum)) return name === 'format' && draw.chance(0.6) ? 'json' : draw.pick(schema.enum)
  switch (name) {
    case 'id':
    case 'marketId':
    case 'market':
      return draw.pick(facts.ids)
    case 'markets':
      return Array.from({ length: draw.whole(1, MOST_MARKETS) }, () => draw.pick(facts.ids)).join(',')
    case 'slug':
      return draw.chance(0.7) ? draw.pick(facts.slugs) : `${draw.pick(['btc', 'eth', 'sol'])}-updown-5m`
    case 'crypto':
    case 'coin':
      return draw.pick(COINS)
    case 'timeframe':
      return draw.pick(TIMEFRAMES)
    case 'subcategory':
      return draw.pick(SUBCATEGORIES)
    case 'hour':
      return new Date(Math.floor(facts.fromMs / HOUR_MS) * HOUR_MS - draw.whole(0, 2) * HOUR_MS).toISOString()
  }
  if (schema.format === 'date-time') return momentText(draw.whole(facts.fromMs - 30_000, facts.toMs + 60_000), draw)
  switch (schema.type) {
    case 'integer':
      return String(draw.whole(Number(schema.minimum ?? 0), Math.min(Number(schema.maximum ?? 100), 500)))
    case 'number':
      return String(draw.whole(1, 100_000) / 100)
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

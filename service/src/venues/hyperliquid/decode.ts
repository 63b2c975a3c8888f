import { signedUnitsIn, unitsIn } from '../../domain/decimal.ts'
import type { ContextFigures } from '../../domain/rows/perp-context.ts'
import { PERP_DECIMALS, type PerpLevel } from '../../domain/rows/perp-snapshot.ts'
import { touchOf } from '../perp-book.ts'
import type {
  PerpBookEvent,
  PerpContextEvent,
  PerpEvent,
  PerpStream,
  PerpTouchEvent,
  PerpTradeEvent,
} from '../perp-events.ts'
import type { FrameProblem } from '../venue.ts'

const NOT_NEEDED = new Set(['subscriptionResponse', 'pong', 'post', 'allMids'])
const MOST_LEVELS = 100
const HASH = /^0x[0-9a-f]{64}$/

class Malformed extends Error {}

export function decodePerpFrame(text: string, stream: PerpStream): { events: PerpEvent[]; problems: FrameProblem[] } {
  if (!text.startsWith('{')) return { events: [], problems: [] }
  try {
    const { channel, data } = fieldsOf(JSON.parse(text))
    if (channel === 'l2Book') return { events: [readBook(fieldsOf(data), stream)], problems: [] }
    if (channel === 'bbo') return { events: [readTouch(fieldsOf(data))], problems: [] }
    if (channel === 'trades') return { events: readTrades(data), problems: [] }
    if (channel === 'activeAssetCtx') return { events: [readContext(fieldsOf(data))], problems: [] }
    if (typeof channel !== 'string') throw new Malformed('channel is not a text')
    if (NOT_NEEDED.has(channel)) return { events: [], problems: [] }
    const message = channel === 'error' && typeof data === 'string' ? `: ${data.slice(0, 80)}` : ''
    return { events: [], problems: [{ kind: 'unknown_event', reason: `channel ${channel.slice(0, 40)}${message}` }] }
  } catch (error) {
    if (!(error instanceof Malformed || error instanceof SyntaxError)) throw error
    const reason = error instanceof Malformed ? error.message : `invalid JSON of ${text.length} characters`
    return { events: [], problems: [{ kind: 'undecodable', reason }] }
  }
}

/** Decodes the body of REST `l2Book`; undefined for an unknown coin. */
export function decodePerpBook(text: string): PerpBookEvent | undefined {
  const body: unknown = JSON.parse(text)
  if (body === null) return undefined
  const event = readBook(fieldsOf(body), 'deep')
  return event.kind === 'book' ? event : undefined
}

function readBook(data: Fields, stream: PerpStream): PerpEvent {
  const coin = coinIn(data)
  const eventAtMs = timestampIn(data)
  const [bids, asks, ...more] = Array.isArray(data.levels) ? data.levels : []
  if (more.length > 0) throw new Malformed('levels has more than two sides')
  const ladders = { bids: readSide(bids, -1), asks: readSide(asks, 1) }
  if (stream === 'deep' && data.fast !== true) return { kind: 'book', coin, eventAtMs, ladders }
  return { kind: 'touch', coin, touch: touchOf(ladders.bids[0], ladders.asks[0], eventAtMs) }
}

function readTouch(data: Fields): PerpTouchEvent {
  const [bid, ask] = Array.isArray(data.bbo) ? data.bbo : []
  const read = (level: unknown): PerpLevel | undefined =>
    level === null || level === undefined ? undefined : readLevel(level)
  return { kind: 'touch', coin: coinIn(data), touch: touchOf(read(bid), read(ask), timestampIn(data)) }
}

function readTrades(data: unknown): PerpTradeEvent[] {
  if (!Array.isArray(data)) throw new Malformed('trades are not a list')
  return data.map((each) => readTrade(fieldsOf(each)))
}

function readTrade(fields: Fields): PerpTradeEvent {
  const { px, sz, side, tid, hash } = fields
  const [price, size] = [px, sz].map((text) => (typeof text === 'string' ? unitsIn(text, PERP_DECIMALS) : undefined))
  if (!price || !size) throw new Malformed('a trade has an invalid px or sz')
  if (side !== 'B' && side !== 'A') throw new Malformed('a trade has an invalid side')
  if (typeof tid !== 'number' || !Number.isSafeInteger(tid) || tid < 0)
    throw new Malformed('a trade has an invalid tid')
  if (typeof hash !== 'string' || !HASH.test(hash)) throw new Malformed('a trade has an invalid hash')
  return {
    kind: 'trade',
    coin: coinIn(fields),
    trade: {
      tradeId: tid,
      side: side === 'B' ? 'BUY' : 'SELL',
      price,
      size,
      tradedAtMs: timestampIn(fields),
      transactionHash: hash,
    },
  }
}

function readContext(data: Fields): PerpContextEvent {
  const context = fieldsOf(data.ctx)
  const figure = (value: unknown, name: string): bigint => {
    const units = typeof value === 'string' ? signedUnitsIn(value) : undefined
    if (units === undefined) throw new Malformed(`a context has an invalid ${name}`)
    return units
  }
  const { premium, midPx, impactPxs } = context
  const hasNoBook = [premium, midPx, impactPxs].every((value) => value === null)
  const [impactBid, impactAsk] = Array.isArray(impactPxs) ? impactPxs : []
  const figures: ContextFigures = {
    funding: figure(context.funding, 'funding'),
    openInterest: figure(context.openInterest, 'openInterest'),
    markPrice: figure(context.markPx, 'markPx'),
    oraclePrice: figure(context.oraclePx, 'oraclePx'),
    previousDayPrice: figure(context.prevDayPx, 'prevDayPx'),
    dayNotional: figure(context.dayNtlVlm, 'dayNtlVlm'),
    dayVolume: figure(context.dayBaseVlm, 'dayBaseVlm'),
    book: hasNoBook
      ? undefined
      : {
          midPrice: figure(midPx, 'midPx'),
          premium: figure(premium, 'premium'),
          impactBid: figure(impactBid, 'impactPxs'),
          impactAsk: figure(impactAsk, 'impactPxs'),
        },
  }
  return { kind: 'context', coin: coinIn(data), figures }
}

/** Best first: bids fall, asks rise. */
function readSide(side: unknown, direction: 1 | -1): PerpLevel[] {
  if (!Array.isArray(side) || side.length > MOST_LEVELS) throw new Malformed('levels has a missing or too long side')
  const levels = side.map(readLevel)
  for (let index = 1; index < levels.length; index++) {
    const step = (levels[index]?.price ?? 0) - (levels[index - 1]?.price ?? 0)
    if (step * direction <= 0) throw new Malformed('levels are out of order')
  }
  return levels
}

function readLevel(level: unknown): PerpLevel {
  const { px, sz, n = 0 } = fieldsOf(level)
  const price = typeof px === 'string' ? unitsIn(px, PERP_DECIMALS) : undefined
  const size = typeof sz === 'string' ? unitsIn(sz, PERP_DECIMALS) : undefined
  const isCount = typeof n === 'number' && Number.isInteger(n) && n >= 0 && n < 2 ** 32
  if (!price || size === undefined || !isCount) throw new Malformed('a level has an invalid px, sz or n')
  return { price, size, orders: n }
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Malformed('not an object')
  return value as Fields
}

function coinIn({ coin }: Fields): string {
  if (typeof coin !== 'string' || coin === '' || coin.length > 40) throw new Malformed('coin is missing or invalid')
  return coin
}

function timestampIn({ time }: Fields): number {
  if (typeof time !== 'number' || !Number.isInteger(time) || time <= 0 || time > 1e13)
    throw new Malformed('time is missing or invalid')
  return time
}

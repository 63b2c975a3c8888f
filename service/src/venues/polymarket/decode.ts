import { NO_TRANSACTION } from '../../domain/rows/trade.ts'
import { type Fields, fieldsOf, Malformed, textIn } from '../frame-fields.ts'
import type {
  BookEvent,
  ChangeEntry,
  ChangeEvent,
  CreatedEvent,
  DecodedFrame,
  FrameProblem,
  ResolvedEvent,
  TickEvent,
  TradeEvent,
  VenueEvent,
} from '../venue.ts'
import {
  echoIn,
  hashIn,
  levelsIn,
  listIn,
  marketIdIn,
  orderPriceIn,
  sizeIn,
  tickSizeIn,
  timestampIn,
  tokenIdIn,
} from './fields.ts'
import { type Shape, unknownKeyIn } from './known-keys.ts'

const NOTHING: DecodedFrame = Object.freeze({ events: [], problems: [] })
const LAST_TRADE_TEXT = /^(?:[01]\.[0-9]{1,6})?$/
const TRANSACTION = /^0x[0-9a-f]{64}$/

/** Decodes one frame of the market socket. Without zod, because it runs six thousand times a second. */
export function decodeFrame(text: string): DecodedFrame {
  const first = text.charCodeAt(0)
  // PONG, NO NEW ASSETS and any other text that is not JSON.
  if (first !== 0x7b && first !== 0x5b) return NOTHING
  return decodeWith(text, decodeEvent)
}

/** Decodes a body of REST `/book` or `/books`: the same books, without an event type. */
export function decodeBooks(text: string): { events: readonly BookEvent[]; problems: readonly FrameProblem[] } {
  return decodeWith(text, (fields, problems) => {
    noteUnknownKey(fields, 'book', problems)
    return bookIn(fields)
  })
}

function decodeWith<Event>(
  text: string,
  decodeOne: (fields: Fields, problems: FrameProblem[]) => Event | undefined,
): { events: Event[]; problems: FrameProblem[] } {
  const events: Event[] = []
  const problems: FrameProblem[] = []
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    problems.push({ kind: 'undecodable', reason: `invalid JSON of ${text.length} characters` })
    return { events, problems }
  }
  for (const element of Array.isArray(parsed) ? parsed : [parsed]) {
    try {
      const event = decodeOne(fieldsOf(element, 'an element'), problems)
      if (event !== undefined) events.push(event)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      problems.push(undecodable(element, error.message))
    }
  }
  return { events, problems }
}

function undecodable(element: unknown, reason: string): FrameProblem {
  try {
    return { kind: 'undecodable', reason, marketId: marketIdIn(fieldsOf(element, 'an element')) }
  } catch {
    return { kind: 'undecodable', reason }
  }
}

function noteUnknownKey(fields: Fields, shape: Shape, problems: FrameProblem[]): void {
  const key = unknownKeyIn(fields, shape)
  if (key !== undefined)
    problems.push({ kind: 'unknown_key', reason: `${shape} has the unknown key ${JSON.stringify(key)}` })
}

function decodeEvent(fields: Fields, problems: FrameProblem[]): VenueEvent | undefined {
  const type = textIn(fields, 'event_type')
  switch (type) {
    case 'price_change':
      noteUnknownKey(fields, type, problems)
      return changeIn(fields, problems)
    case 'book':
      noteUnknownKey(fields, type, problems)
      return bookIn(fields)
    case 'last_trade_price':
      noteUnknownKey(fields, type, problems)
      return tradeIn(fields)
    case 'tick_size_change':
      noteUnknownKey(fields, type, problems)
      return tickIn(fields)
    case 'market_resolved':
      noteUnknownKey(fields, type, problems)
      return resolvedIn(fields)
    case 'new_market':
      noteUnknownKey(fields, type, problems)
      return createdIn(fields)
    case 'best_bid_ask':
      noteUnknownKey(fields, type, problems)
      return undefined
    default:
      problems.push({ kind: 'unknown_event', reason: `event type ${JSON.stringify(type.slice(0, 40))}` })
      return undefined
  }
}

function bookIn(fields: Fields): BookEvent {
  const event: BookEvent = {
    kind: 'book',
    marketId: marketIdIn(fields),
    tokenId: tokenIdIn(fields),
    bids: levelsIn(fields, 'bids'),
    asks: levelsIn(fields, 'asks'),
    eventAtMs: timestampIn(fields),
    hash: hashIn(fields),
  }
  if (fields.tick_size !== undefined) event.tickSize = tickSizeIn(fields, 'tick_size')
  if (fields.last_trade_price !== undefined) {
    const lastTradeText = textIn(fields, 'last_trade_price')
    if (!LAST_TRADE_TEXT.test(lastTradeText)) throw new Malformed('last_trade_price has an unexpected format')
    event.lastTradeText = lastTradeText
  }
  return event
}

function changeIn(fields: Fields, problems: FrameProblem[]): ChangeEvent {
  const entries: ChangeEntry[] = []
  for (const element of listIn(fields, 'price_changes')) {
    const entry = fieldsOf(element, 'a price change')
    noteUnknownKey(entry, 'entry', problems)
    entries.push(entryIn(entry))
  }
  return { kind: 'change', marketId: marketIdIn(fields), eventAtMs: timestampIn(fields), entries }
}

function entryIn(fields: Fields): ChangeEntry {
  const bestBid = echoIn(fields, 'best_bid')
  const bestAsk = echoIn(fields, 'best_ask')
  const entry: ChangeEntry = {
    tokenId: tokenIdIn(fields),
    side: sideIn(fields) === 'BUY' ? 'bids' : 'asks',
    price: orderPriceIn(fields),
    size: sizeIn(fields),
    hash: hashIn(fields),
  }
  if (bestBid !== undefined) entry.bestBid = bestBid
  if (bestAsk !== undefined) entry.bestAsk = bestAsk
  return entry
}

function sideIn(fields: Fields): 'BUY' | 'SELL' {
  const { side } = fields
  if (side !== 'BUY' && side !== 'SELL') throw new Malformed('side is neither BUY nor SELL')
  return side
}

function tradeIn(fields: Fields): TradeEvent {
  const transaction = fields.transaction_hash === undefined ? '' : textIn(fields, 'transaction_hash')
  if (transaction !== '' && !TRANSACTION.test(transaction))
    throw new Malformed('transaction_hash has an unexpected format')
  return {
    kind: 'trade',
    tokenId: tokenIdIn(fields),
    trade: {
      marketId: marketIdIn(fields),
      side: sideIn(fields),
      price: orderPriceIn(fields),
      size: sizeIn(fields),
      tradedAtMs: timestampIn(fields),
      transactionHash: transaction === '' ? NO_TRANSACTION : transaction,
    },
  }
}

function tickIn(fields: Fields): TickEvent {
  return {
    kind: 'tick',
    marketId: marketIdIn(fields),
    tokenId: tokenIdIn(fields),
    tickSize: tickSizeIn(fields, 'new_tick_size'),
  }
}

/** The order of `assets_ids` is not known to be that of the outcomes, so only the winning id is read. */
function resolvedIn(fields: Fields): ResolvedEvent {
  const { winning_asset_id: winner } = fields
  const isNamed = winner !== undefined && winner !== null && winner !== ''
  return {
    kind: 'resolved',
    marketId: marketIdIn(fields),
    winningTokenId: isNamed ? tokenIdIn(fields, 'winning_asset_id') : undefined,
    resolvedAtMs: timestampIn(fields),
  }
}

function createdIn(fields: Fields): CreatedEvent {
  return { kind: 'created', marketId: marketIdIn(fields) }
}

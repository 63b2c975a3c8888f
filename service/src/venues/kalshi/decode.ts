import { hash } from 'node:crypto'
import { type Ladders, type Level, PRICE_ONE } from '../../domain/book.ts'
import { type Fields, fieldsOf, Malformed, textIn } from '../frame-fields.ts'
import type { BookEvent, DecodedFrame, DeltaEvent, FrameProblem, TradeEvent } from '../venue.ts'
import { bidsIn, priceIn, sizeChangeIn, sizeIn, tickerIn, timeIn } from './fields.ts'
import { type DataType, unknownKeyIn } from './known-keys.ts'
import { namesOf } from './market-names.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const LONGEST_TRADE_ID = 100

type DataEvent = BookEvent | DeltaEvent | TradeEvent

/** Decodes the `msg` of a frame with market data. Without zod, because it runs thousands of times a second. */
export function decodeMessage(type: DataType, value: unknown, receivedAtMs: number): DecodedFrame {
  const problems: FrameProblem[] = []
  try {
    const message = fieldsOf(value, 'msg')
    const key = unknownKeyIn(message, type)
    if (key !== undefined)
      problems.push({ kind: 'unknown_key', reason: `${type} has the unknown key ${JSON.stringify(key)}` })
    return { events: [eventIn(type, message, receivedAtMs)], problems }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return undecodable(type, value, error.message)
  }
}

/** A change of nobody knows which market: every book of the connection may lack it. */
function undecodable(type: DataType, value: unknown, reason: string): DecodedFrame {
  const marketId = marketIdIn(value)
  if (marketId !== undefined) return { events: [], problems: [{ kind: 'undecodable', reason, marketId }] }
  const problems: FrameProblem[] = [{ kind: 'undecodable', reason }]
  if (type === 'trade') return { events: [], problems }
  return { events: [], problems, loss: { cause: 'undecodable', detail: `${type}: ${reason}` } }
}

function marketIdIn(value: unknown): string | undefined {
  try {
    return namesOf(tickerIn(fieldsOf(value, 'msg'))).marketId
  } catch {
    return undefined
  }
}

function eventIn(type: DataType, message: Fields, receivedAtMs: number): DataEvent {
  switch (type) {
    case 'orderbook_snapshot':
      return snapshotIn(message, receivedAtMs)
    case 'orderbook_delta':
      return deltaIn(message, receivedAtMs)
    case 'trade':
      return tradeIn(message, receivedAtMs)
  }
}

/** Both outcomes as one book of YES: a bid for NO at q is an offer of YES at 1 − q. */
export function yesLadders(yesBids: readonly Level[], noBids: readonly Level[]): Ladders {
  return { bids: yesBids, asks: noBids.map(({ price, size }) => ({ price: PRICE_ONE - price, size })) }
}

function snapshotIn(message: Fields, receivedAtMs: number): BookEvent {
  const { marketId, yesTokenId } = namesOf(tickerIn(message))
  return {
    kind: 'book',
    marketId,
    tokenId: yesTokenId,
    ...yesLadders(bidsIn(message, 'yes_dollars_fp'), bidsIn(message, 'no_dollars_fp')),
    eventAtMs: Math.round(receivedAtMs),
    hash: '',
  }
}

function deltaIn(message: Fields, receivedAtMs: number): DeltaEvent {
  const { marketId, yesTokenId } = namesOf(tickerIn(message))
  const isYes = isYesIn(message, 'side')
  const price = priceIn(message, 'price_dollars')
  return {
    kind: 'delta',
    marketId,
    tokenId: yesTokenId,
    side: isYes ? 'bids' : 'asks',
    price: isYes ? price : PRICE_ONE - price,
    sizeChange: sizeChangeIn(message, 'delta_fp'),
    eventAtMs: timeIn(message) ?? Math.round(receivedAtMs),
  }
}

/** A taker of either side buys an outcome: who sells YES to a bid gets NO for it. */
function tradeIn(message: Fields, receivedAtMs: number): TradeEvent {
  const { marketId, yesTokenId, noTokenId } = namesOf(tickerIn(message))
  const yesPrice = priceIn(message, 'yes_price_dollars')
  const isYes = isTakerYes(message)
  const size = sizeIn(message, 'count_fp')
  if (size === 0) throw new Malformed('count_fp is 0')
  return {
    kind: 'trade',
    tokenId: isYes ? yesTokenId : noTokenId,
    trade: {
      marketId,
      side: 'BUY',
      price: isYes ? yesPrice : PRICE_ONE - yesPrice,
      size,
      tradedAtMs: timeIn(message) ?? Math.round(receivedAtMs),
      transactionHash: transactionHashOf(textIn(message, 'trade_id')),
    },
  }
}

function isTakerYes(message: Fields): boolean {
  const { taker_book_side: bookSide } = message
  if (bookSide === 'bid' || bookSide === 'ask') return bookSide === 'bid'
  return isYesIn(message, message.taker_outcome_side === undefined ? 'taker_side' : 'taker_outcome_side')
}

function isYesIn(message: Fields, key: string): boolean {
  const side = textIn(message, key)
  if (side !== 'yes' && side !== 'no') throw new Malformed(`${key} is neither yes nor no`)
  return side === 'yes'
}

/** A UUID is kept readable, with zeros in front; the column has 32 bytes. */
function transactionHashOf(tradeId: string): string {
  if (tradeId === '' || tradeId.length > LONGEST_TRADE_ID) throw new Malformed('trade_id has an unexpected format')
  if (!UUID.test(tradeId)) return `0x${hash('sha256', tradeId)}`
  return `0x${tradeId.replaceAll('-', '').toLowerCase().padStart(64, '0')}`
}

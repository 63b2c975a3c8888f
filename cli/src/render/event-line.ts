import type { BboFrame, BookFrame, ContextFrame, StreamEvent } from '@bookreel/sdk'
import type { Paint } from '../terminal.ts'
import { counted, grouped, timeText } from './numbers.ts'
import { plain, shortId } from './text.ts'

export type NameOf = (market: string) => string

interface TopOfBook {
  readonly bid: number | undefined
  readonly ask: number | undefined
  readonly bidSize: number | undefined
  readonly askSize: number | undefined
  readonly levels?: string
}

const KIND_WIDTH = 6

/** Formats an event as one line: time, market, kind, details. */
export function eventLine(event: StreamEvent, nameOf: NameOf, paint: Paint): string {
  const market = 'market' in event && event.market !== undefined ? plain(nameOf(event.market)) : ''
  const [kind, details] = detailsOf(event, paint)
  const head = paint('dim', timeText(timeOf(event)))
  return [head, market, kind.padEnd(KIND_WIDTH), details].filter((part) => part !== '').join('  ')
}

function timeOf(event: StreamEvent): number {
  if ('captured_at' in event) return event.captured_at
  return 'at' in event ? event.at : event.sent_at
}

function contextDetails({ mark_price, oracle_price, funding_rate, open_interest }: ContextFrame): string {
  return `mark ${mark_price}, oracle ${oracle_price}, funding ${funding_rate}/h, open interest ${grouped(open_interest)}`
}

function detailsOf(event: StreamEvent, paint: Paint): [kind: string, details: string] {
  switch (event.type) {
    case 'snapshot':
    case 'delta':
    case 'bbo':
      return [event.channel, quoteDetails(event, paint)]
    case 'trade':
      return ['trade', `${event.side} ${event.action} ${grouped(event.size)} @ ${event.price}`]
    case 'perp_trade':
      return ['trade', `${event.action} ${grouped(event.size)} @ ${event.price}`]
    case 'context':
      return ['context', contextDetails(event)]
    case 'gap': {
      const slots = event.to_seq - event.from_seq + 1
      const details = `${event.kind} #${event.from_seq}–#${event.to_seq}, ${grouped(slots)} slots, ${event.cause ?? 'cause not known yet'}`
      return ['gap', paint('red', details)]
    }
    case 'skipped':
      return [
        'gap',
        paint('red', `${event.frames} frames skipped, #${event.from_seq}–#${event.to_seq}: the reader is too slow`),
      ]
    case 'opened':
    case 'settled':
      return ['market', event.type]
    case 'rolled':
      return [
        'market',
        `next window after ${shortId(event.previous ?? '')}${event.slug === undefined ? '' : `: ${plain(event.slug)}`}`,
      ]
    case 'resolved':
      return ['market', `resolved: ${event.outcome ?? 'neither'}`]
    case 'dark':
    case 'live':
      return ['status', paint('yellow', `${event.type}${event.cause === undefined ? '' : `: ${plain(event.cause)}`}`)]
    case 'health':
      return ['status', `service health: ${plain(event.status ?? '')}`]
    case 'replay_ended':
      return ['end', `${event.reason}: ${counted(event.rows, 'row')}, ${counted(event.credits, 'credit')}`]
    case 'connected':
    case 'reconnected': {
      const count = new Set(event.accepted.flatMap(({ markets }) => markets)).size
      const refused = event.rejected.map(({ message }) => plain(message)).join(' ')
      return [
        'stream',
        `${event.type}, ${count} ${count === 1 ? 'market' : 'markets'}${refused === '' ? '' : `; ${refused}`}`,
      ]
    }
    case 'disconnected':
      return ['stream', paint('yellow', `disconnected: ${plain(event.message)}`)]
    default:
      return [String((event as StreamEvent).type), '']
  }
}

function quoteDetails(frame: BookFrame | BboFrame, paint: Paint): string {
  const side = frame.up === undefined ? '' : 'UP '
  const sides = frame.up ?? frame.book
  const top = sides === undefined ? undefined : topOfBook(sides)
  if (top === undefined) return `#${frame.seq}`
  const prices = `${top.bid ?? '–'} / ${top.ask ?? '–'}`
  const sizes = `${top.bidSize === undefined ? '–' : grouped(top.bidSize)} × ${top.askSize === undefined ? '–' : grouped(top.askSize)}`
  const doubts = frame.flags.filter((flag) => flag === 'crossed' || flag === 'one_sided' || flag === 'suspect')
  const proof = [
    ...(frame.flags.includes('verified_up') ? [paint('green', 'verified')] : []),
    ...(frame.flags.includes('unverified_up') ? [paint('yellow', 'unverified')] : []),
  ]
  const parts = [
    `${side}${prices}`.padEnd(16),
    sizes.padEnd(20),
    top.levels ?? '',
    `#${frame.seq}`,
    ...proof,
    ...doubts,
  ]
  return parts.filter((part) => part !== '').join('  ')
}

function topOfBook(sides: NonNullable<BookFrame['up']> | NonNullable<BboFrame['up']>): TopOfBook {
  if ('bid' in sides) {
    const { bid, ask, bid_size: bidSize, ask_size: askSize } = sides
    return { bid, ask, bidSize, askSize }
  }
  const [bid, bidSize] = sides.bids[0] ?? []
  const [ask, askSize] = sides.asks[0] ?? []
  return { bid, ask, bidSize, askSize, levels: `${sides.bids.length}+${sides.asks.length}`.padEnd(7) }
}

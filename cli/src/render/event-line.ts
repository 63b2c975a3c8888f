import type { BboFrame, BookFrame, StreamEvent } from '@bookreel/sdk'
import type { Paint } from '../terminal.ts'
import { grouped, timeText } from './numbers.ts'
import { plain, shortId } from './text.ts'

export type NameOf = (market: string) => string

interface Touch {
  readonly bid: number | undefined
  readonly ask: number | undefined
  readonly bidSize: number | undefined
  readonly askSize: number | undefined
  readonly levels?: string
}

const KIND_WIDTH = 6

/** One event on one line: when, of what, what kind, and what it says. */
export function eventLine(event: StreamEvent, nameOf: NameOf, paint: Paint): string {
  const market = 'market' in event && event.market !== undefined ? plain(nameOf(event.market)) : ''
  const [kind, words] = wordsOf(event, paint)
  const head = paint('dim', timeText(timeOf(event)))
  return [head, market, kind.padEnd(KIND_WIDTH), words].filter((part) => part !== '').join('  ')
}

function timeOf(event: StreamEvent): number {
  if ('captured_at' in event) return event.captured_at
  return 'at' in event ? event.at : event.sent_at
}

function wordsOf(event: StreamEvent, paint: Paint): [kind: string, words: string] {
  switch (event.type) {
    case 'snapshot':
    case 'delta':
    case 'bbo':
      return [event.channel, quoteWords(event, paint)]
    case 'trade':
      return ['trade', `${event.side} ${event.taker} ${grouped(event.size)} @ ${event.price}`]
    case 'gap': {
      const slots = event.to_seq - event.from_seq + 1
      const words = `${event.kind} #${event.from_seq}–#${event.to_seq}, ${grouped(slots)} slots, ${event.cause ?? 'not explained yet'}`
      return ['gap', paint('red', words)]
    }
    case 'skipped':
      return [
        'gap',
        paint('red', `${event.frames} frames left out, #${event.from_seq}–#${event.to_seq}: read too slowly`),
      ]
    case 'opened':
    case 'settled':
      return ['market', event.type]
    case 'rolled':
      return [
        'market',
        `follows ${shortId(event.previous ?? '')}${event.slug === undefined ? '' : `: ${plain(event.slug)}`}`,
      ]
    case 'resolved':
      return ['market', `resolved: ${event.outcome ?? 'neither'}`]
    case 'dark':
    case 'live':
      return ['status', paint('yellow', `${event.type}${event.cause === undefined ? '' : `: ${plain(event.cause)}`}`)]
    case 'health':
      return ['status', `the service is ${plain(event.status ?? '')}`]
    case 'replay_ended':
      return ['end', `${event.reason}: ${grouped(event.rows)} rows, ${grouped(event.credits)} credits`]
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

function quoteWords(frame: BookFrame | BboFrame, paint: Paint): string {
  const side = frame.up === undefined ? '' : 'UP '
  const sides = frame.up ?? frame.book
  const touch = sides === undefined ? undefined : touchOf(sides)
  if (touch === undefined) return `#${frame.seq}`
  const prices = `${touch.bid ?? '–'} / ${touch.ask ?? '–'}`
  const sizes = `${touch.bidSize === undefined ? '–' : grouped(touch.bidSize)} × ${touch.askSize === undefined ? '–' : grouped(touch.askSize)}`
  const isVerified = frame.flags.includes('verified_up')
  const doubts = frame.flags.filter((flag) => flag === 'crossed' || flag === 'one_sided' || flag === 'suspect')
  const proof =
    frame.up === undefined ? [] : [isVerified ? paint('green', 'verified') : paint('yellow', 'not verified')]
  const parts = [
    `${side}${prices}`.padEnd(16),
    sizes.padEnd(20),
    touch.levels ?? '',
    `#${frame.seq}`,
    ...proof,
    ...doubts,
  ]
  return parts.filter((part) => part !== '').join('  ')
}

function touchOf(sides: NonNullable<BookFrame['up']> | NonNullable<BboFrame['up']>): Touch {
  if ('bid' in sides) {
    const { bid, ask, bid_size: bidSize, ask_size: askSize } = sides
    return { bid, ask, bidSize, askSize }
  }
  const [bid, bidSize] = sides.bids[0] ?? []
  const [ask, askSize] = sides.asks[0] ?? []
  return { bid, ask, bidSize, askSize, levels: `${sides.bids.length}+${sides.asks.length}`.padEnd(7) }
}

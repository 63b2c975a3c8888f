import type { Loss } from '../../domain/doubt.ts'
import { type Fields, fieldsOf, Malformed, textIn } from '../frame-fields.ts'
import type { DecodedFrame, SocketProtocol } from '../venue.ts'
import { decodeMessage } from './decode.ts'
import { countIn } from './fields.ts'
import { isDataType } from './known-keys.ts'
import { tickersOf } from './market-names.ts'

/** Trades first, so that none of them is missing once there is a book. */
const CHANNELS = ['trade', 'orderbook_delta'] as const
const TICKERS_PER_COMMAND = 500
/** A connection has one subscription for each channel. */
const MOST_SUBSCRIPTIONS = 16
/** Channel error, and overflow of the send buffer: after both, the subscription sends no more. */
const ENDING_ERRORS: ReadonlyMap<number, string> = new Map([
  [10, 'channel error'],
  [25, 'the venue dropped frames, because they were read too slowly'],
])

const NOTHING: DecodedFrame = Object.freeze({ events: [], problems: [] })

interface Subscription {
  readonly channel: string
  /** The number of its last message, over all markets; 0 before the first one. */
  lastSeq: number
  /** When it came, or when the subscription began. */
  lastAtMs: number
}

export interface ProtocolCheckpoint {
  readonly commands: number
  readonly subscriptions: readonly (readonly [sid: number, channel: string, lastSeq: number, lastAtMs: number])[]
  readonly removedEarly: readonly string[]
}

/** Commands and frames of one connection. Every message of a subscription is numbered, so that a lost one is noticed. */
export class KalshiProtocol implements SocketProtocol {
  readonly #subscriptions = new Map<number, Subscription>()
  /** Tickers that were to be removed when the numbers of the subscriptions were not known yet. */
  readonly #removedEarly = new Set<string>()
  #commands = 0

  /** Tickers that the connection holds already get no new snapshot, unless they were removed before. */
  subscribeFrames(tokenIds: readonly string[]): string[] {
    const tickers = tickersOf(tokenIds)
    const removals = this.#lateRemovals()
    for (const ticker of tickers) this.#removedEarly.delete(ticker)
    const commands = inParts(tickers).flatMap((market_tickers) =>
      CHANNELS.map((channel) =>
        this.#command('subscribe', {
          channels: [channel],
          market_tickers,
          // The default is announced to change.
          ...(channel === 'orderbook_delta' && { use_yes_price: false }),
        }),
      ),
    )
    return [...removals, ...commands]
  }

  /** Until the venue has told the numbers of the subscriptions nothing can be removed; the next command makes up for it. */
  unsubscribeFrames(tokenIds: readonly string[]): string[] {
    for (const ticker of tickersOf(tokenIds)) this.#removedEarly.add(ticker)
    return this.#lateRemovals()
  }

  decode(text: string, receivedAtMs: number): DecodedFrame {
    if (text.charCodeAt(0) !== 0x7b) return strange('a frame that is not a JSON object')
    const frame = parsed(text)
    if (frame === undefined) return brokenFrame(`invalid JSON of ${text.length} characters`)
    try {
      return this.#decodeFrame(frame, receivedAtMs)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      return brokenFrame(error.message)
    }
  }

  checkpoint(): ProtocolCheckpoint {
    return {
      commands: this.#commands,
      subscriptions: [...this.#subscriptions].map(
        ([sid, { channel, lastSeq, lastAtMs }]) => [sid, channel, lastSeq, lastAtMs] as const,
      ),
      removedEarly: [...this.#removedEarly],
    }
  }

  restore(checkpoint: unknown): void {
    const { commands, subscriptions, removedEarly } = checkpoint as ProtocolCheckpoint
    this.#commands = commands
    this.#subscriptions.clear()
    for (const [sid, channel, lastSeq, lastAtMs] of subscriptions)
      this.#subscriptions.set(sid, { channel, lastSeq, lastAtMs })
    this.#removedEarly.clear()
    for (const ticker of removedEarly) this.#removedEarly.add(ticker)
  }

  #command(cmd: string, params: object): string {
    this.#commands++
    return JSON.stringify({ id: this.#commands, cmd, params })
  }

  #lateRemovals(): string[] {
    const held = new Set([...this.#subscriptions.values()].map(({ channel }) => channel))
    if (this.#removedEarly.size === 0 || !CHANNELS.every((channel) => held.has(channel))) return []
    const parts = inParts([...this.#removedEarly])
    this.#removedEarly.clear()
    return parts.flatMap((market_tickers) =>
      [...this.#subscriptions.keys()].map((sid) =>
        this.#command('update_subscription', { sids: [sid], market_tickers, action: 'delete_markets' }),
      ),
    )
  }

  #decodeFrame(frame: Fields, receivedAtMs: number): DecodedFrame {
    const { type } = frame
    if (typeof type !== 'string') return strange('a frame without a type')
    if (type === 'subscribed') return this.#begin(fieldsOf(frame.msg, 'msg'), receivedAtMs)
    const isNumbered = frame.sid !== undefined && frame.seq !== undefined
    // An end counts whatever its number is.
    if (type === 'error' || type === 'unsubscribed') this.#noteNumber(frame, receivedAtMs)
    else if (isNumbered || isDataType(type)) return this.#decodeNumbered(type, frame, receivedAtMs)
    return contentOf(type, frame, receivedAtMs)
  }

  #decodeNumbered(type: string, frame: Fields, receivedAtMs: number): DecodedFrame {
    const sid = countIn(frame, 'sid')
    const subscription = this.#subscriptions.get(sid)
    if (subscription === undefined) return strange(`${nameOf(type)} of the unknown subscription ${sid}`)
    const seq = countIn(frame, 'seq')
    if (seq === subscription.lastSeq) return strange(`${nameOf(type)} with a seq that came before`)
    // What this frame says would make a book look right that lacks what was lost.
    const loss = lossBefore(seq, sid, subscription)
    if (loss !== undefined) return { ...NOTHING, loss }
    subscription.lastSeq = seq
    subscription.lastAtMs = receivedAtMs
    return contentOf(type, frame, receivedAtMs)
  }

  #noteNumber({ sid, seq }: Fields, receivedAtMs: number): void {
    const subscription = typeof sid === 'number' ? this.#subscriptions.get(sid) : undefined
    if (subscription === undefined || seq !== subscription.lastSeq + 1) return
    subscription.lastSeq = seq
    subscription.lastAtMs = receivedAtMs
  }

  #begin(message: Fields, receivedAtMs: number): DecodedFrame {
    const sid = countIn(message, 'sid')
    if (this.#subscriptions.has(sid)) return strange('a subscription that was begun before')
    if (this.#subscriptions.size >= MOST_SUBSCRIPTIONS)
      return strange(`more than ${MOST_SUBSCRIPTIONS} subscriptions on a connection`)
    this.#subscriptions.set(sid, {
      channel: textIn(message, 'channel').slice(0, 40),
      lastSeq: 0,
      lastAtMs: receivedAtMs,
    })
    return NOTHING
  }
}

function contentOf(type: string, frame: Fields, receivedAtMs: number): DecodedFrame {
  if (isDataType(type)) return decodeMessage(type, frame.msg, receivedAtMs)
  if (type === 'ok') return NOTHING
  if (type === 'error') return errorIn(frame)
  // We never send `unsubscribe`, so the venue has ended the subscription by itself.
  if (type === 'unsubscribed') return { ...NOTHING, loss: ended('the venue ended a subscription') }
  return strange(`type ${nameOf(type)}`)
}

function lossBefore(seq: number, sid: number, { channel, lastSeq, lastAtMs }: Subscription): Loss | undefined {
  if (seq === lastSeq + 1) return undefined
  const detail = `${channel} ${sid}: seq ${seq} came after ${lastSeq}`
  return { cause: 'sequence_gap', detail, rightUntilMs: lastAtMs }
}

function errorIn(frame: Fields): DecodedFrame {
  const { code, msg } = typeof frame.msg === 'object' && frame.msg !== null ? (frame.msg as Fields) : {}
  const number = typeof code === 'number' ? code : 0
  const error = strange(`error ${number}: ${typeof msg === 'string' ? msg.slice(0, 80) : 'without a text'}`)
  const meaning = ENDING_ERRORS.get(number)
  return meaning === undefined ? error : { ...error, loss: ended(`error ${number}: ${meaning}`) }
}

function ended(detail: string): Loss {
  return { cause: 'disconnected', detail }
}

function nameOf(type: string): string {
  return JSON.stringify(type.slice(0, 40))
}

function strange(reason: string): DecodedFrame {
  return { events: [], problems: [{ kind: 'unknown_event', reason }] }
}

/** It may have been a change of any market. */
function brokenFrame(reason: string): DecodedFrame {
  return { events: [], problems: [{ kind: 'undecodable', reason }], loss: { cause: 'undecodable', detail: reason } }
}

function parsed(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text), 'a frame')
  } catch {
    return undefined
  }
}

function inParts(tickers: readonly string[]): (readonly string[])[] {
  const parts: (readonly string[])[] = []
  for (let from = 0; from < tickers.length; from += TICKERS_PER_COMMAND)
    parts.push(tickers.slice(from, from + TICKERS_PER_COMMAND))
  return parts
}

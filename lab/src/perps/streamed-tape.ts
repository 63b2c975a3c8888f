import type { RawData, WebSocket } from 'ws'
import { askStream, openStream, untilSaid } from '../stream/record-live.ts'
import { COINS, contextText, type Span, type Tape, type TapeContext, type TapeTrade, tradeText } from './tape.ts'

interface Place {
  readonly url: string
  readonly key: string
}

const WHAT = { selectors: COINS.map((symbol) => ({ symbol })), channels: ['trade', 'context'] }
const REPLAYED_WITHIN_MS = 600_000

/** The frames of a stream, by coin. */
export class StreamedTape {
  readonly socket: WebSocket
  readonly #tapes = new Map<string, { trades: TapeTrade[]; contexts: TapeContext[] }>()

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: RawData) => {
      if (Buffer.isBuffer(data)) this.#take(JSON.parse(data.toString()))
    })
  }

  static async live({ url, key }: Place): Promise<StreamedTape> {
    const streamed = new StreamedTape(await openStream(url, key))
    await askStream(streamed.socket, { op: 'subscribe', ...WHAT })
    return streamed
  }

  /** Everything that was received in a time. */
  static async replayed({ url, key }: Place, { fromMs, toMs }: Span): Promise<StreamedTape> {
    const streamed = new StreamedTape(await openStream(url, key))
    const ended = untilSaid(streamed.socket, ({ type }) => type === 'replay_ended', REPLAYED_WITHIN_MS)
    await askStream(streamed.socket, { op: 'replay', ...WHAT, from: fromMs, to: toMs, speed: 'max' })
    const { reason } = await ended
    if (reason !== 'complete') throw new Error(`the replay ended with ${reason}`)
    streamed.socket.terminate()
    return streamed
  }

  /** The trades that happened and the contexts that came in a time. */
  of(coin: string, { fromMs, toMs }: Span): Tape {
    const { trades, contexts } = this.#tapeOf(coin)
    const isInside = ({ atMs }: { readonly atMs: number }): boolean => atMs >= fromMs && atMs < toMs
    return { trades: trades.filter(isInside), contexts: contexts.filter(isInside) }
  }

  // biome-ignore lint/suspicious/noExplicitAny: frames of any type.
  #take(frame: any): void {
    if (frame.type !== 'perp_trade' && frame.type !== 'context') return
    const { trades, contexts } = this.#tapeOf(String(frame.market).split(':')[1] ?? '')
    if (frame.type === 'perp_trade') {
      const { trade_id: id, action, price, size, event_at: atMs } = frame
      trades.push({ id, atMs, text: tradeText(id, action, price, size, atMs) })
      return
    }
    const { funding_rate, premium, open_interest, mark_price, oracle_price, mid_price } = frame
    const figures = [funding_rate, premium, open_interest, mark_price, oracle_price, mid_price]
    contexts.push({ atMs: frame.received_at, text: contextText(figures) })
  }

  #tapeOf(coin: string): { trades: TapeTrade[]; contexts: TapeContext[] } {
    const known = this.#tapes.get(coin) ?? { trades: [], contexts: [] }
    this.#tapes.set(coin, known)
    return known
  }
}

import type { GapSegment } from '../../domain/hole.ts'
import type { StreamMarket } from '../markets/stream-market.ts'
import { bookBody, deltaBody, timesText, touchBody } from './render-row.ts'
import type { StreamRow } from './stream-row.ts'

/** The frames of one row, each rendered once for all clients that get the same bytes. */
export class RowFrames {
  readonly market: StreamMarket
  readonly row: StreamRow
  readonly sentAtMs: number
  readonly #frames = new Map<string, Buffer>()
  readonly #bodies = new Map<number, Buffer>()
  #touch: string | undefined

  constructor(market: StreamMarket, row: StreamRow, sentAtMs: number) {
    this.market = market
    this.row = row
    this.sentAtMs = sentAtMs
  }

  /** Best prices and sizes as text; a `bbo` frame is sent when this changes. */
  get touch(): string {
    this.#touch ??= touchBody(this.row)
    return this.#touch
  }

  snapshot(depth: number, prevSeq: number | null): Buffer {
    return this.#once(`s${depth} ${prevSeq}`, () => {
      const body = this.#bodies.get(depth) ?? bookBody(this.row, depth)
      this.#bodies.set(depth, body)
      return Buffer.concat([
        Buffer.from(`${this.#head('book', 'snapshot', prevSeq)},"venue":"${this.market.venue}"`, 'latin1'),
        body,
      ])
    })
  }

  delta(depth: number, before: StreamRow): Buffer {
    return this.#once(`d${depth} ${before.seq}`, () => {
      const head = Buffer.from(this.#head('book', 'delta', before.seq), 'latin1')
      return Buffer.concat([head, deltaBody(this.row, before, depth)])
    })
  }

  bbo(prevSeq: number | null): Buffer {
    return this.#once(`b${prevSeq}`, () => Buffer.from(this.#head('bbo', 'bbo', prevSeq) + this.touch, 'latin1'))
  }

  #once(key: string, make: () => Buffer): Buffer {
    const known = this.#frames.get(key)
    if (known !== undefined) return known
    const frame = make()
    this.#frames.set(key, frame)
    return frame
  }

  #head(channel: 'book' | 'bbo', type: string, prevSeq: number | null): string {
    const { market, row, sentAtMs } = this
    return `{"channel":"${channel}","type":"${type}","market":"${market.name}","seq":${row.seq},"prev_seq":${prevSeq},"sent_at":${sentAtMs},${timesText(row, channel, market.proof)}`
  }
}

export function gapFrame(
  market: StreamMarket,
  channel: 'book' | 'bbo',
  { fromSlot, toSlot, kind, cause }: GapSegment,
  sentAtMs: number,
): string {
  const slots = { from_seq: fromSlot, to_seq: toSlot }
  return JSON.stringify({ channel, type: 'gap', market: market.name, ...slots, kind, cause, sent_at: sentAtMs })
}

import type { JsonFrame } from '../test-client.ts'

type Side = 'yes' | 'no'

/** In units of 0.0001. */
function priceIn(text: string): number {
  return Math.round(Number(text) * 10_000)
}

/** In units of 0.01. */
function sizeIn(text: string): number {
  return Math.round(Number(text) * 100)
}

/** What a client makes of the frames of one connection, and the mistakes that it notices. */
export class FollowedBooks {
  /** Numbers of `sid` that did not follow the one before. */
  readonly gaps: number[] = []
  readonly negative: string[] = []
  readonly #books = new Map<string, Record<Side, Map<number, number>>>()
  readonly #lastSeq = new Map<number, number>()

  take({ json }: JsonFrame): void {
    if (json?.seq === undefined) return
    const last = this.#lastSeq.get(json.sid) ?? 0
    if (json.seq !== last + 1) this.gaps.push(json.seq)
    this.#lastSeq.set(json.sid, json.seq)
    if (json.type === 'orderbook_snapshot') this.#takeSnapshot(json.msg)
    if (json.type === 'orderbook_delta') this.#takeDelta(json.msg)
  }

  /** As `orderbook_fp` of the REST interface. */
  asRest(ticker: string): Record<'no_dollars' | 'yes_dollars', [string, string][]> {
    return { no_dollars: this.#levels(ticker, 'no'), yes_dollars: this.#levels(ticker, 'yes') }
  }

  #levels(ticker: string, side: Side): [string, string][] {
    return [...(this.#books.get(ticker)?.[side] ?? [])]
      .sort(([one], [other]) => one - other)
      .map(([price, size]) => [(price / 10_000).toFixed(4), (size / 100).toFixed(2)])
  }

  #takeSnapshot(msg: { market_ticker: string; yes_dollars_fp?: string[][]; no_dollars_fp?: string[][] }): void {
    const levels = (pairs: string[][] = []): Map<number, number> =>
      new Map(pairs.map(([price = '', size = '']) => [priceIn(price), sizeIn(size)]))
    this.#books.set(msg.market_ticker, { yes: levels(msg.yes_dollars_fp), no: levels(msg.no_dollars_fp) })
  }

  #takeDelta(msg: { market_ticker: string; price_dollars: string; delta_fp: string; side: Side }): void {
    const levels = this.#books.get(msg.market_ticker)?.[msg.side]
    if (levels === undefined) return
    const price = priceIn(msg.price_dollars)
    const size = (levels.get(price) ?? 0) + sizeIn(msg.delta_fp)
    if (size < 0) this.negative.push(msg.market_ticker)
    if (size === 0) levels.delete(price)
    else levels.set(price, size)
  }
}

export function followed(frames: readonly JsonFrame[]): FollowedBooks {
  const books = new FollowedBooks()
  for (const frame of frames) books.take(frame)
  return books
}

import { createHash } from 'node:crypto'

export interface TinyChange {
  /** Of the first token: below 500 a bid, above it an ask. Put on the tick by the market. */
  readonly thousandths: number
  /** The new size in hundredths of a share; 0 removes the level. */
  readonly hundredths: number
}

export type TinyMarket = ReturnType<typeof createTinyMarket>

/**
 * A minimal venue that publishes correct hashes, to test the checker. It shares no code with
 * the checker: prices are whole thousandths, and the hashed text is concatenated by hand.
 */
export function createTinyMarket(levelCount: number) {
  const market = `0x${'ab'.repeat(32)}`
  const tokens = ['7001', '7002'] as const
  const bids = new Map<number, number>()
  const asks = new Map<number, number>()
  const publishedKeys: Record<string, string[]> = { 7001: [], 7002: [] }
  let tick = 10
  let lastTrade = ''
  let nowMs = 1_790_000_000_000
  for (let step = 0; step < levelCount; step++) {
    const side = step % 2 === 0 ? bids : asks
    const distance = 10 * (1 + (step >> 1))
    if (distance < 490) side.set(step % 2 === 0 ? 490 - distance : 510 + distance, 10_000 + step)
  }

  /** Levels of a token in the order of the venue, the best last; those of the second token are mirrored. */
  function levels(token: string): { bids: string; asks: string } {
    const [own, other] = token === tokens[0] ? [bids, asks] : [asks, bids]
    const list = (side: Map<number, number>, direction: 1 | -1): string =>
      [...side]
        .map(([price, size]): [number, number] => [token === tokens[0] ? price : 1000 - price, size])
        .sort(([a], [b]) => (a - b) * direction)
        .map(([price, size]) => `{"price":"${plain(price, 3)}","size":"${plain(size, 2)}"}`)
        .join(',')
    return { bids: `[${list(own, 1)}]`, asks: `[${list(other, -1)}]` }
  }

  function hashOf(token: string): string {
    const { bids: b, asks: a } = levels(token)
    const text = `{"market":"${market}","asset_id":"${token}","timestamp":"${nowMs}","hash":"","bids":${b},"asks":${a},"min_order_size":"5","tick_size":"${plain(tick, 3)}","neg_risk":false,"last_trade_price":"${lastTrade}"}`
    return createHash('sha1').update(text).digest('hex')
  }

  function bookFrame(token: string, first: boolean): string {
    const { bids: b, asks: a } = levels(token)
    const more = first ? `,"tick_size":"${plain(tick, 3)}","last_trade_price":"${lastTrade}"` : ''
    return `{"market":"${market}","asset_id":"${token}","timestamp":"${nowMs}","hash":"${hashOf(token)}","bids":${b},"asks":${a}${more},"event_type":"book"}`
  }

  function publish(changes: readonly TinyChange[], frameCount: number): string[] {
    const onTick = new Map(
      changes.map((change) => [change.thousandths - (change.thousandths % tick), change.hundredths]),
    )
    onTick.delete(0)
    for (const [price, size] of onTick) {
      const side = price < 500 ? bids : asks
      if (size === 0) side.delete(price)
      else side.set(price, size)
    }
    const tops = [Math.max(0, ...bids.keys()), Math.min(1000, ...asks.keys())] as const
    const hashes = tokens.map(hashOf)
    for (const [index, token] of tokens.entries())
      if (onTick.size > 0) publishedKeys[token]?.push(`${nowMs}:${hashes[index]}`)
    const pairs = [...onTick].map(([price, size]) => {
      const entry = (index: 0 | 1): unknown => ({
        asset_id: tokens[index],
        price: plain(index === 0 ? price : 1000 - price, 3),
        size: plain(size, 2),
        side: price < 500 === (index === 0) ? 'BUY' : 'SELL',
        hash: hashes[index],
        best_bid: plain(index === 0 ? tops[0] : 1000 - tops[1], 3),
        best_ask: plain(index === 0 ? tops[1] : 1000 - tops[0], 3),
      })
      return [entry(0), entry(1)]
    })
    const perFrame = Math.ceil(pairs.length / frameCount)
    const frames: string[] = []
    for (let from = 0; from < pairs.length; from += perFrame)
      frames.push(
        JSON.stringify({
          market,
          price_changes: pairs.slice(from, from + perFrame).flat(),
          timestamp: String(nowMs),
          event_type: 'price_change',
        }),
      )
    return frames
  }

  return {
    market,
    tokens,
    publishedKeys,
    first: (): string => `[${tokens.map((token) => bookFrame(token, true)).join(',')}]\n`,
    /** One batch, spread over at most so many frames; `laterMs` 0 puts it into the millisecond before. */
    batch(changes: readonly TinyChange[], frameCount: number, laterMs: number): string[] {
      nowMs += laterMs
      return publish(changes, frameCount)
    },
    /** Takes the best bid or ask of the first token; `view` is the token whose price becomes the last trade. */
    trade(takeBid: boolean, view: 0 | 1): string[] {
      const price = takeBid ? Math.max(...bids.keys()) : Math.min(...asks.keys())
      if (!Number.isFinite(price)) return []
      nowMs += 40
      lastTrade = ((view === 0 ? price : 1000 - price) / 1000).toFixed(3)
      const frames = publish([{ thousandths: price, hundredths: 0 }], 1)
      frames.push(...tokens.map((token) => bookFrame(token, false)))
      const trade = { market, asset_id: tokens[0], price: plain(price, 3), size: '1', timestamp: String(nowMs + 35) }
      frames.push(JSON.stringify({ ...trade, event_type: 'last_trade_price' }))
      return frames
    },
    finerTick(): string[] {
      if (tick === 1) return []
      tick = 1
      const change = { market, old_tick_size: '0.01', new_tick_size: '0.001', timestamp: String(nowMs) }
      return tokens.map((token) => JSON.stringify({ ...change, asset_id: token, event_type: 'tick_size_change' }))
    },
  }
}

/** A whole number of 10^-decimals as the venue writes it, without trailing zeros. */
function plain(value: number, decimals: number): string {
  const digits = String(value).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
}

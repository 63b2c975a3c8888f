import type { BookFrame, TradeFrame } from '../src/generated/stream-types.ts'

export type Pairs = [number, number][]

/** A frame of market `m` that follows the previous slot, with `changed` members. */
export function bookFrame(changed: Partial<BookFrame> & Pick<BookFrame, 'seq' | 'type'>): BookFrame {
  const { seq } = changed
  const times = { event_at: seq, received_at: seq, captured_at: seq, sent_at: seq }
  return {
    channel: 'book',
    market: 'm',
    prev_seq: seq - 1,
    flags: [],
    proof: 'hash',
    ...times,
    up: { bids: [], asks: [] },
    ...changed,
  }
}

export function tradeFrame(changed: Partial<TradeFrame> & Pick<TradeFrame, 'seq'>): TradeFrame {
  const { seq } = changed
  const times = { event_at: seq, received_at: seq, captured_at: seq, sent_at: seq }
  const trade = {
    token: '1',
    side: 'UP',
    action: 'buy',
    price: 0.5,
    size: 1,
    transaction_hash: null,
    occurrence: 0,
  } as const
  return { channel: 'trade', type: 'trade', market: 'm', prev_seq: seq - 1, flags: [], ...times, ...trade, ...changed }
}

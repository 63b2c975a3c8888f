import { expect, test } from 'vitest'
import type { PerpSnapshot } from '../../domain/rows/perp-snapshot.ts'
import { RowFrames } from '../frames/row-frames.ts'
import { perpRowOf } from '../frames/stream-row.ts'
import { streamPerpOf } from '../markets/stream-market.ts'
import { BboStream } from './bbo.ts'
import { BookStream } from './book.ts'

const market = streamPerpOf('BTC')

function framesOf(slot: number): RowFrames {
  const atMs = slot * market.intervalMs
  const snapshot: PerpSnapshot = {
    venue: 'hyperliquid',
    symbol: 'BTC',
    slot,
    intervalMs: market.intervalMs,
    capturedAtMs: atMs,
    eventAtMs: atMs,
    receivedAtMs: atMs,
    ladders: { bids: [], asks: [] },
    touch: { bidPrice: slot, bidSize: 1, askPrice: slot + 1, askSize: 1, eventAtMs: atMs },
  }
  return new RowFrames(market, perpRowOf(snapshot), atMs)
}

test.each([BookStream, BboStream])('%o: a perpetual future states that its venue offers no proof', (Stream) => {
  const sent: object[] = []
  const outlet = { isFull: false, send: (frame: Buffer | string) => sent.push(JSON.parse(String(frame))) }
  new Stream(market, outlet, { mode: 'snapshot' }).row(framesOf(100), [])
  expect(sent).toMatchObject([{ flags: [], proof: 'none' }])
})

test.each([BookStream, BboStream])('%o: a slot that was told from the store is not told again by the bus', (Stream) => {
  const sent: number[] = []
  const outlet = { isFull: false, send: (frame: Buffer | string) => sent.push(JSON.parse(String(frame)).seq) }
  const stream = new Stream(market, outlet, { mode: 'snapshot' })
  stream.continues(103)
  // From the store, which is ahead of the bus; then from the bus.
  for (const seq of [104, 105, 103, 104, 105, 106]) stream.row(framesOf(seq), [])
  expect(sent).toEqual([104, 105, 106])
})

test.each([BookStream, BboStream])(
  '%o: a slow reader gets one notice of what it missed, then the newest row',
  (Stream) => {
    const sent: { type?: string; from_seq?: number; to_seq?: number; seq?: number }[] = []
    const outlet = { isFull: false, send: (frame: Buffer | string) => sent.push(JSON.parse(String(frame))) }
    const stream = new Stream(market, outlet, { mode: 'snapshot' })
    stream.row(framesOf(100), [])
    outlet.isFull = true
    for (let seq = 101; seq <= 1_000; seq++) stream.row(framesOf(seq), [])
    expect(sent.map(({ seq }) => seq)).toEqual([100])
    outlet.isFull = false
    stream.drained(0)
    expect(sent.slice(1)).toMatchObject([{ type: 'skipped', from_seq: 101, to_seq: 999 }, { seq: 1_000 }])
  },
)

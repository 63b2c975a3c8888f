import { expect, test } from 'vitest'
import { readFrameText } from './frame-text.ts'

const MARKET = `0x${'ab'.repeat(32)}`
const frame = (sentAt: number, more: object = {}) =>
  Buffer.from(
    JSON.stringify({
      channel: 'book',
      type: 'snapshot',
      market: MARKET,
      seq: 7,
      prev_seq: 6,
      sent_at: sentAt,
      ...more,
    }),
  )

test('frames that differ only in the sending time are equal, all others differ', () => {
  const one = readFrameText(frame(1_000))
  expect(one).toMatchObject({ market: MARKET, channel: 'book', type: 'snapshot', seq: 7 })
  expect(readFrameText(frame(123_456_789))?.text).toBe(one?.text)
  expect(readFrameText(frame(1_000, { prev_seq: 5 }))?.text).not.toBe(one?.text)
  expect(readFrameText(frame(1_000, { flags: ['crossed'] }))?.text).not.toBe(one?.text)
})

test('a gap is identified by its first slot, whatever the order of its members', () => {
  const gap = { type: 'gap', channel: 'bbo', from_seq: 3, to_seq: 9, market: MARKET, sent_at: 5 }
  expect(readFrameText(Buffer.from(JSON.stringify(gap)))).toMatchObject({ channel: 'bbo', type: 'gap', seq: 3 })
})

test('frames that are not books are ignored', () => {
  expect(readFrameText(Buffer.from('{"type":"ack","id":1,"op":"subscribe"}'))).toBeUndefined()
})

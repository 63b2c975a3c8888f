import { expect, test } from 'vitest'
import { Seen } from '../src/seen.ts'
import { subscribeCommands } from '../src/subscribe-commands.ts'
import { bookFrame, tradeFrame } from './frames.ts'

function seenUpTo(seq: number): Seen {
  const seen = new Seen()
  for (let each = 1; each <= seq; each++) seen.admit(bookFrame({ seq: each, type: 'snapshot' }))
  return seen
}

test('what came before does not come again', () => {
  const seen = seenUpTo(5)
  expect(seen.admit(bookFrame({ seq: 5, prev_seq: null, type: 'snapshot' })).isNew).toBe(false)
  expect(seen.admit(bookFrame({ seq: 4, prev_seq: null, type: 'snapshot' })).isNew).toBe(false)
  expect(seen.admit(bookFrame({ seq: 6, type: 'delta' }))).toEqual({ isNew: true })
  expect(seen.admit(bookFrame({ seq: 5, market: 'n', type: 'snapshot' })).isNew).toBe(true)
})

test('trades of one slot are told apart by what they are', () => {
  const seen = new Seen()
  const trade = tradeFrame({ seq: 1, transaction: '0xa' })
  expect(seen.admit(trade).isNew).toBe(true)
  expect(seen.admit(tradeFrame({ seq: 1, transaction: '0xb' })).isNew).toBe(true)
  expect(seen.admit({ ...trade, sent_at: 99, prev_seq: null }).isNew).toBe(false)
})

test('a hole that nobody explained is told before the frame behind it', () => {
  const { skipped } = seenUpTo(5).admit(bookFrame({ seq: 9, prev_seq: null, type: 'snapshot' }))
  expect(skipped).toMatchObject({ type: 'skipped', from_seq: 6, to_seq: 8, frames: 3 })
})

test('a hole that the service explained is not told twice', () => {
  const seen = seenUpTo(5)
  const gap = { channel: 'book', type: 'gap', market: 'm', kind: 'missing', cause: 'resync', sent_at: 1 } as const
  expect(seen.admitGap({ ...gap, from_seq: 6, to_seq: 8 })).toBe(true)
  expect(seen.admitGap({ ...gap, from_seq: 6, to_seq: 8 })).toBe(false)
  expect(seen.admit(bookFrame({ seq: 9, prev_seq: null, type: 'snapshot' }))).toEqual({ isNew: true })
  expect(seen.admitGap({ ...gap, from_seq: 6, to_seq: 8 })).toBe(false)
})

test('frames at wider intervals are no holes', () => {
  const seen = new Seen()
  for (const seq of [4, 8, 12]) seen.admit(bookFrame({ seq, prev_seq: seq - 4, type: 'snapshot' }))
  expect(seen.admit(bookFrame({ seq: 16, prev_seq: null, type: 'snapshot' }))).toEqual({ isNew: true })
  expect(seen.admit(bookFrame({ seq: 28, prev_seq: null, type: 'snapshot' })).skipped).toMatchObject({ frames: 2 })
})

test('one goes on one before the last, so that the seam can be seen to be none', () => {
  const seen = new Seen()
  const nowMs = Date.now()
  seen.admit(bookFrame({ seq: 40, type: 'snapshot', captured_at: nowMs }))
  seen.admit(tradeFrame({ seq: 12, captured_at: nowMs }))
  seen.admit(bookFrame({ seq: 9, market: 'long over', type: 'snapshot', captured_at: nowMs - 7_200_000 }))
  const [command] = subscribeCommands({ selectors: [{ market: 'm' }], channels: ['book', 'trade'] }, seen)
  expect(command).toMatchObject({ op: 'resume', since: { m: 39 }, channels: ['book', 'trade'] })
})

test('where windows roll, a time is named, so that a window that opened meanwhile comes from its begin', () => {
  const seen = new Seen()
  const nowMs = Date.now()
  seen.admit(bookFrame({ seq: 40, type: 'snapshot', captured_at: nowMs }))
  const [command] = subscribeCommands({ selectors: [{ coin: 'BTC', timeframe: '5m' }] }, seen)
  expect(command).toMatchObject({ op: 'resume', since: nowMs - 4_000 })
})

test('what does not fit into one frame goes into several, and what names too many markets names a time', () => {
  const selectors = Array.from({ length: 400 }, (_, index) => ({ market: `0x${String(index).padStart(64, '0')}` }))
  const commands = subscribeCommands({ selectors })
  expect(commands.flatMap((command) => ('selectors' in command ? (command.selectors ?? []) : []))).toEqual(selectors)
  const seen = new Seen()
  const nowMs = Date.now()
  for (const [index, { market }] of selectors.entries()) {
    seen.admit(bookFrame({ seq: index, market, type: 'snapshot', captured_at: nowMs - index }))
  }
  const resumes = subscribeCommands({ selectors }, seen)
  expect(resumes[0]).toMatchObject({ op: 'resume', since: nowMs - 399 - 4_000 })
  for (const command of [...commands, ...resumes]) expect(JSON.stringify(command).length).toBeLessThan(16_000)
})

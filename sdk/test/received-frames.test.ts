import { expect, test } from 'vitest'
import { ReceivedFrames } from '../src/received-frames.ts'
import { subscribeCommands } from '../src/subscribe-commands.ts'
import { bookFrame, tradeFrame } from './frames.ts'

const NOW_MS = Date.parse('2026-10-14T12:02:30Z')

function receivedUpTo(seq: number): ReceivedFrames {
  const received = new ReceivedFrames()
  for (let each = 1; each <= seq; each++) received.admit(bookFrame({ seq: each, type: 'snapshot' }))
  return received
}

test('drops frames that were received before', () => {
  const received = receivedUpTo(5)
  expect(received.admit(bookFrame({ seq: 5, prev_seq: null, type: 'snapshot' })).isNew).toBe(false)
  expect(received.admit(bookFrame({ seq: 4, prev_seq: null, type: 'snapshot' })).isNew).toBe(false)
  expect(received.admit(bookFrame({ seq: 6, type: 'delta' }))).toEqual({ isNew: true })
  expect(received.admit(bookFrame({ seq: 5, market: 'n', type: 'snapshot' })).isNew).toBe(true)
})

test('distinguishes several trades of one slot', () => {
  const received = new ReceivedFrames()
  const trade = tradeFrame({ seq: 1, transaction_hash: '0xa' })
  expect(received.admit(trade).isNew).toBe(true)
  expect(received.admit(tradeFrame({ seq: 1, transaction_hash: '0xb' })).isNew).toBe(true)
  expect(received.admit({ ...trade, sent_at: 99, prev_seq: null }).isNew).toBe(false)
})

test('reports unexplained missing slots before the next frame', () => {
  const { skipped } = receivedUpTo(5).admit(bookFrame({ seq: 9, prev_seq: null, type: 'snapshot' }))
  expect(skipped).toMatchObject({ type: 'skipped', from_seq: 6, to_seq: 8, frames: 3 })
})

test('does not report slots that a gap already explained', () => {
  const received = receivedUpTo(5)
  const gap = { channel: 'book', type: 'gap', market: 'm', kind: 'missing', cause: 'resync', sent_at: 1 } as const
  expect(received.admitGap({ ...gap, from_seq: 6, to_seq: 8 })).toBe(true)
  expect(received.admitGap({ ...gap, from_seq: 6, to_seq: 8 })).toBe(false)
  expect(received.admit(bookFrame({ seq: 9, prev_seq: null, type: 'snapshot' }))).toEqual({ isNew: true })
  expect(received.admitGap({ ...gap, from_seq: 6, to_seq: 8 })).toBe(false)
})

test('a longer interval between frames is not a gap', () => {
  const received = new ReceivedFrames()
  for (const seq of [4, 8, 12]) received.admit(bookFrame({ seq, prev_seq: seq - 4, type: 'snapshot' }))
  expect(received.admit(bookFrame({ seq: 16, prev_seq: null, type: 'snapshot' }))).toEqual({ isNew: true })
  expect(received.admit(bookFrame({ seq: 28, prev_seq: null, type: 'snapshot' })).skipped).toMatchObject({ frames: 2 })
})

test('resumes one slot before the last received one', () => {
  const received = new ReceivedFrames()
  received.admit(bookFrame({ seq: 40, type: 'snapshot', captured_at: NOW_MS }))
  received.admit(tradeFrame({ seq: 12, captured_at: NOW_MS }))
  received.admit(bookFrame({ seq: 9, market: 'ended long ago', type: 'snapshot', captured_at: NOW_MS - 7_200_000 }))
  const [command] = subscribeCommands({ selectors: [{ market: 'm' }], channels: ['book', 'trade'] }, received)
  expect(command).toMatchObject({ op: 'resume', since: { m: 39 }, channels: ['book', 'trade'] })
})

test('resumes rolling windows by time, so that a window that opened meanwhile is complete', () => {
  const received = new ReceivedFrames()
  received.admit(bookFrame({ seq: 40, type: 'snapshot', captured_at: NOW_MS }))
  const [command] = subscribeCommands({ selectors: [{ coin: 'BTC', timeframe: '5m' }] }, received)
  expect(command).toMatchObject({ op: 'resume', since: NOW_MS - 4_000 })
})

test('splits commands that are too long, and resumes many markets by time', () => {
  const selectors = Array.from({ length: 400 }, (_, index) => ({ market: `0x${String(index).padStart(64, '0')}` }))
  const commands = subscribeCommands({ selectors })
  expect(commands.flatMap((command) => ('selectors' in command ? (command.selectors ?? []) : []))).toEqual(selectors)
  const received = new ReceivedFrames()
  for (const [index, { market }] of selectors.entries()) {
    received.admit(bookFrame({ seq: index, market, type: 'snapshot', captured_at: NOW_MS - index }))
  }
  const resumes = subscribeCommands({ selectors }, received)
  expect(resumes[0]).toMatchObject({ op: 'resume', since: NOW_MS - 399 - 4_000 })
  for (const command of [...commands, ...resumes]) expect(JSON.stringify(command).length).toBeLessThan(16_000)
})

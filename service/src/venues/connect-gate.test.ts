import { expect, test } from 'vitest'
import { BackOff, retryAfterMs } from './back-off.ts'
import { ConnectGate } from './connect-gate.ts'
import { FrameRing } from './frame-ring.ts'

test('sockets that connect at once are let through one after the other', async () => {
  const gate = new ConnectGate({ everyMs: 20, perMinute: 1_000 })
  const { signal } = new AbortController()
  const startMs = performance.now()
  const enteredMs = await Promise.all(
    Array.from({ length: 5 }, async () => {
      await gate.enter(signal)
      return performance.now() - startMs
    }),
  )
  for (const [index, atMs] of enteredMs.entries()) expect(atMs).toBeGreaterThanOrEqual(index * 20 - 2)
})

test('no more than the allowed number per minute, and an aborted wait does not count', async () => {
  let nowMs = 0
  const gate = new ConnectGate({ everyMs: 0, perMinute: 2 }, () => nowMs)
  const stop = new AbortController()
  await gate.enter(stop.signal)
  await gate.enter(stop.signal)
  const third = gate.enter(stop.signal)
  stop.abort()
  await expect(third).rejects.toThrow()
  nowMs = 60_001
  await gate.enter(new AbortController().signal)
})

test('the back-off doubles up to its maximum, has jitter, and is reset after success', () => {
  const backOff = new BackOff({ random: () => 1 })
  expect(Array.from({ length: 8 }, () => backOff.nextMs())).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
  backOff.reset()
  expect(backOff.nextMs()).toBe(500)
  const spread = new BackOff({ random: () => 0.25 })
  expect(spread.nextMs()).toBe(125)
})

test('Retry-After is read in both its forms, and an invalid one means no wait', () => {
  const nowMs = Date.parse('2026-11-15T00:00:00Z')
  expect(retryAfterMs('2', nowMs)).toBe(2_000)
  expect(retryAfterMs('Sun, 15 Nov 2026 00:00:03 GMT', nowMs)).toBe(3_000)
  expect([retryAfterMs('soon', nowMs), retryAfterMs(null, nowMs), retryAfterMs('-5', nowMs)]).toEqual([0, 0, 0])
})

test('the ring drops frames by age and by size', () => {
  const ring = new FrameRing({ ageMs: 1_000, bytes: 10 })
  ring.keep(Buffer.from('aaaa'), 0)
  ring.keep(Buffer.from('bbbb'), 500)
  ring.keep(Buffer.from('cc'), 1_001)
  expect(ring.frames.map(({ text }) => text)).toEqual(['bbbb', 'cc'])
  ring.keep(Buffer.from('dddddd'), 1_002)
  expect(ring.frames.map(({ text }) => text)).toEqual(['cc', 'dddddd'])
  for (let atMs = 2_000; atMs < 8_000; atMs++) ring.keep(Buffer.from('e'), atMs)
  expect(ring.frames).toHaveLength(10)
})

import { expect, test } from 'vitest'
import { OpenSocket } from './open-socket.ts'
import { findFaults } from './socket-health.ts'
import { SocketLag } from './socket-lag.ts'
import { SOCKET_LIMITS } from './socket-limits.ts'

function deliver(lag: SocketLag, lagMs: number, fromMs: number, forMs: number): void {
  for (let atMs = fromMs; atMs < fromMs + forMs; atMs += 100) lag.note(lagMs, atMs)
}

/** An open socket that was on time for a minute, then late by this much. */
function socketLateBy(id: number, lagMs: number): OpenSocket {
  const socket = new OpenSocket(id)
  socket.isOpen = true
  socket.marketDataAtMs = 80_000
  deliver(socket.lag, 100, 0, 60_000)
  deliver(socket.lag, 100 + lagMs, 60_000, 20_000)
  return socket
}

test('a socket is late compared with its own best, however far the clocks are apart', () => {
  for (const offsetMs of [-3_600_000, 0, 3_600_000]) {
    const lag = new SocketLag()
    deliver(lag, offsetMs + 150, 0, 60_000)
    expect(lag.behindMs(60_000)).toBe(0)
    deliver(lag, offsetMs + 12_150, 60_000, 20_000)
    expect(lag.behindMs(80_000)).toBe(12_000)
    expect(lag.behindMs(200_000)).toBe(0)
  }
})

test('a few late events do not make a socket late', () => {
  const lag = new SocketLag()
  for (let atMs = 0; atMs < 60_000; atMs += 100) lag.note(atMs % 1_000 === 0 ? 30_000 : 100, atMs)
  expect(lag.behindMs(60_000)).toBe(0)
})

test('the late socket among others is replaced; when all are late, none is', () => {
  const some = [socketLateBy(1, 12_000), socketLateBy(2, 0), socketLateBy(3, 0), socketLateBy(4, 3_000)]
  expect(findFaults(some, SOCKET_LIMITS, 80_000)).toEqual([{ id: 1, reason: 'lag' }])
  const all = [1, 2, 3, 4].map((id) => socketLateBy(id, 12_000))
  expect(findFaults(all, SOCKET_LIMITS, 80_000)).toEqual([])
})

test('a quiet socket is never replaced for its silence, a busy one after 45 s', () => {
  const [quiet, busy] = [socketLateBy(1, 0), socketLateBy(2, 0)]
  quiet.notePeriod(0.1, 80_000)
  busy.notePeriod(40, 80_000)
  // The periods without data do not make it a quiet one.
  busy.notePeriod(0, 100_000)
  expect(findFaults([quiet, busy], SOCKET_LIMITS, 120_000)).toEqual([])
  expect(findFaults([quiet, busy], SOCKET_LIMITS, 126_000)).toEqual([{ id: 2, reason: 'silent' }])
  expect(findFaults([quiet], SOCKET_LIMITS, 86_400_000)).toEqual([])
})

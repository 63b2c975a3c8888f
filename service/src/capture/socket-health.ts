import type { OpenSocket } from './open-socket.ts'
import type { SocketLimits } from './socket-limits.ts'

/** A socket that usually delivers at least this much is busy: its silence is a fault. */
const BUSY_FRAMES_PER_S = 2
/** When so many sockets are late at once, the cause is not one of them. */
const MOST_LATE = 2

export type SocketFault = { id: number; reason: 'lag' | 'silent' }

/** The sockets that deliver late or not at all although others do. Quiet sockets are judged by PONG and by REST only. */
export function findFaults(sockets: readonly OpenSocket[], limits: SocketLimits, nowMs: number): SocketFault[] {
  const open = sockets.filter(({ isOpen }) => isOpen)
  const late = open.filter(({ lag }) => lag.behindMs(nowMs) > limits.behindMs)
  const silent = open.filter((socket) => isSilent(socket, limits, nowMs))
  // When all are late, the venue or this process is slow; new sockets would only add to its work.
  const areMostLate = late.length > MOST_LATE && late.length * 2 > open.length
  return [
    ...(areMostLate ? [] : late.map(({ id }) => ({ id, reason: 'lag' as const }))),
    ...silent.map(({ id }) => ({ id, reason: 'silent' as const })),
  ]
}

function isSilent({ usualFramesPerS, marketDataAtMs }: OpenSocket, limits: SocketLimits, nowMs: number): boolean {
  return usualFramesPerS >= BUSY_FRAMES_PER_S && nowMs - marketDataAtMs > limits.busySilenceMs
}

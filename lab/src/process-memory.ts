import { readFileSync } from 'node:fs'

/** Resident memory of a process in MB; NaN when it has ended. */
export function memoryMbOf(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes) / 1_024)
  } catch {
    return Number.NaN
  }
}

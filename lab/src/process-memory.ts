import { readFileSync } from 'node:fs'

/** What a process holds in memory now, in megabytes; not a number when it is gone. */
export function memoryMbOf(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes) / 1_024)
  } catch {
    return Number.NaN
  }
}

import { readFileSync } from 'node:fs'

/** The kernel counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** Processor time a process has used so far, all threads, in seconds. */
export function cpuSecondsOf(pid: number): number {
  // The program name is in brackets and may contain spaces, so count fields after it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Returns a function that gives the CPU use of a process since this call, in % of a core. */
export function cpuMeter(pid: number): () => number {
  const [usedS, sinceMs] = [cpuSecondsOf(pid), performance.now()]
  return () => Math.round((100_000 * (cpuSecondsOf(pid) - usedS)) / (performance.now() - sinceMs))
}

import { readFileSync } from 'node:fs'

/** The kernel counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** Processor time a process has used so far, all threads, in seconds. */
export function cpuSecondsOf(pid: number): number {
  // The program's name stands in brackets and may hold blanks; times are counted from behind it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Says, when asked, how much of a core a process has used since, in percent. */
export function cpuMeter(pid: number): () => number {
  const [usedS, sinceMs] = [cpuSecondsOf(pid), performance.now()]
  return () => Math.round((100_000 * (cpuSecondsOf(pid) - usedS)) / (performance.now() - sinceMs))
}

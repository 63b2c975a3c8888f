import { readFileSync } from 'node:fs'

const TICKS_A_SECOND = 100

/** CPU time of the programs that this process started and that have ended, with all of theirs; zero where no /proc is. */
export function cpuSecondsOfChildren(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The name of the process, in brackets, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND
  } catch {
    return 0
  }
}

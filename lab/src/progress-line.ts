import type { Progress } from './experiment.ts'

const QUIET_FOR_MS = 5_000
const CLEAR_LINE = '\r\u001b[2K'

export interface ProgressLine {
  readonly report: Progress
  /** Removes the updating line, so that what follows starts on a clean one. */
  clear(): void
}

/** One line that is rewritten on a terminal; elsewhere a line now and then, so that logs stay short. */
export function createProgressLine(
  write: (text: string) => void,
  onTerminal: boolean,
  nowMs: () => number,
): ProgressLine {
  let lastAtMs = Number.NEGATIVE_INFINITY
  let shown = false
  return {
    report(message) {
      if (onTerminal) {
        write(`${CLEAR_LINE}${message}`)
        shown = true
      } else if (nowMs() - lastAtMs >= QUIET_FOR_MS) {
        lastAtMs = nowMs()
        write(`${message}\n`)
      }
    },
    clear() {
      if (shown) write(CLEAR_LINE)
      shown = false
    },
  }
}

const WINDOW_MS = 5_000
const MOST_SAMPLES = 200
/** Fewer events than this in a window say nothing. */
const LEAST_SAMPLES = 5
/** A median that is older than this says nothing about now. */
const VALID_MS = 3 * WINDOW_MS

/**
 * How late the events of one socket arrive: receive time minus venue time. The two clocks differ, so a socket is
 * compared with its own best only.
 */
export class SocketLag {
  #samples: number[] = []
  #count = 0
  #windowFromMs = 0
  #medianMs: number | undefined
  #medianAtMs = 0
  #bestMs = Number.POSITIVE_INFINITY

  /** Returns the median of a window that has just ended. */
  note(lagMs: number, nowMs: number): number | undefined {
    const ended = nowMs - this.#windowFromMs >= WINDOW_MS ? this.#endWindow(nowMs) : undefined
    this.#samples[this.#count++ % MOST_SAMPLES] = lagMs
    return ended
  }

  /** How much later than at its best the socket delivers now; 0 when it is not known. */
  behindMs(nowMs: number): number {
    if (this.#medianMs === undefined || nowMs - this.#medianAtMs > VALID_MS) return 0
    return this.#medianMs - this.#bestMs
  }

  #endWindow(nowMs: number): number | undefined {
    const samples = this.#samples.sort((one, other) => one - other)
    this.#samples = []
    this.#count = 0
    this.#windowFromMs = nowMs
    if (samples.length < LEAST_SAMPLES) return undefined
    const median = samples[samples.length >> 1] ?? 0
    this.#medianMs = median
    this.#medianAtMs = nowMs
    this.#bestMs = Math.min(this.#bestMs, median)
    return median
  }
}

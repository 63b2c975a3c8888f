export interface DeliveryLimits {
  framesPerSecond: number
  bytesPerSecond: number
  maxQueuedFrames: number
  maxQueuedBytes: number
}

/** Unused time counts this long, so that the first books of a socket are not delayed. */
const BURST_S = 4

/** Frames on their way to a client that the venue delivers at a limited rate: what is too much waits in order. */
export class PacedQueue<Frame extends { readonly length: number }> {
  readonly #limits: DeliveryLimits
  readonly #write: (frame: Frame) => void
  #waiting: Frame[] = []
  /** Index of the first frame in `#waiting` that is not yet sent. */
  #next = 0
  #waitingBytes = 0
  #frames: number
  #bytes: number
  #countedAtMs = performance.now()
  #stalledUntilMs = 0
  #waitingSinceMs: number | undefined

  constructor(limits: DeliveryLimits, write: (frame: Frame) => void) {
    this.#limits = limits
    this.#write = write
    this.#frames = limits.framesPerSecond
    this.#bytes = limits.bytesPerSecond * BURST_S
  }

  /** Returns false when the queue is full. */
  put(frame: Frame): boolean {
    this.#waitingSinceMs ??= performance.now()
    this.#waiting.push(frame)
    this.#waitingBytes += frame.length
    if (this.length === 1) this.drain()
    return this.length <= this.#limits.maxQueuedFrames && this.#waitingBytes <= this.#limits.maxQueuedBytes
  }

  get length(): number {
    return this.#waiting.length - this.#next
  }

  /** How long the queue has not been empty: a frame is late by at most this. */
  get waitingMs(): number {
    return this.#waitingSinceMs === undefined ? 0 : performance.now() - this.#waitingSinceMs
  }

  stall(durationMs: number): void {
    this.#stalledUntilMs = Math.max(this.#stalledUntilMs, performance.now() + durationMs)
  }

  /** Sends what the rates allow by now. */
  drain(): void {
    const nowMs = performance.now()
    const { framesPerSecond, bytesPerSecond } = this.#limits
    const passedS = (nowMs - this.#countedAtMs) / 1_000
    this.#countedAtMs = nowMs
    this.#frames = Math.min(framesPerSecond, this.#frames + passedS * framesPerSecond)
    this.#bytes = Math.min(bytesPerSecond * BURST_S, this.#bytes + passedS * bytesPerSecond)
    if (nowMs < this.#stalledUntilMs) return
    while (this.length > 0 && this.#frames >= 1 && this.#bytes > 0) {
      const frame = this.#waiting[this.#next++]
      if (frame === undefined) break
      this.#waitingBytes -= frame.length
      this.#frames--
      this.#bytes -= frame.length
      this.#write(frame)
    }
    if (this.length === 0) {
      this.#waitingSinceMs = undefined
      this.#waiting.length = 0
      this.#next = 0
    } else if (this.#next > 10_000) {
      this.#waiting = this.#waiting.slice(this.#next)
      this.#next = 0
    }
  }
}

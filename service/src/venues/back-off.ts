/** Exponential back-off with random jitter. */
export class BackOff {
  readonly #firstMs: number
  readonly #mostMs: number
  readonly #random: () => number
  #failures = 0

  constructor({ firstMs = 500, mostMs = 30_000, random = Math.random } = {}) {
    this.#firstMs = firstMs
    this.#mostMs = mostMs
    this.#random = random
  }

  reset(): void {
    this.#failures = 0
  }

  nextMs(): number {
    const ceilingMs = Math.min(this.#mostMs, this.#firstMs * 2 ** Math.min(this.#failures, 20))
    this.#failures++
    return this.#random() * ceilingMs
  }
}

/** Reads a Retry-After header in seconds or as a date; 0 when it is missing or invalid. */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number {
  if (header === null || header === undefined || header === '') return 0
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, waitMs), 300_000) : 0
}

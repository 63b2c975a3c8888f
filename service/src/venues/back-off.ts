/** How long to wait before the next try: twice as long each time, and never two clients at once. */
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

/** A Retry-After header in seconds or as a date; 0 when there is none that can be read. */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number {
  if (header === null || header === undefined || header === '') return 0
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, waitMs), 300_000) : 0
}

import { setTimeout as sleep } from 'node:timers/promises'

/** A busy machine may need two minutes for what usually takes a second. */
const WITHIN_MS = 120_000
const POLL_EVERY_MS = 50

/** Polls until the value is truthy and returns it; on timeout throws an error with the description. */
export async function until<T>(
  description: string,
  read: () => T | Promise<T>,
  { withinMs = WITHIN_MS, everyMs = POLL_EVERY_MS } = {},
): Promise<NonNullable<T>> {
  const endMs = performance.now() + withinMs
  for (;;) {
    const value = await read()
    if (value) return value
    if (performance.now() > endMs) throw new Error(`Not within ${withinMs / 1_000} s: ${description}`)
    await sleep(everyMs)
  }
}

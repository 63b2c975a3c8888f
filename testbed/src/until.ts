import { setTimeout as sleep } from 'node:timers/promises'

/** A slow machine may need a minute for what usually takes a second. Waiting costs nothing when it is not needed. */
const WITHIN_MS = 60_000
const LOOK_EVERY_MS = 50

/** Waits until the value is truthy, and returns it; after a minute it throws an error that names what did not happen. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { withinMs = WITHIN_MS, everyMs = LOOK_EVERY_MS } = {},
): Promise<NonNullable<T>> {
  const endMs = performance.now() + withinMs
  for (;;) {
    const value = await look()
    if (value) return value
    if (performance.now() > endMs) throw new Error(`Not within ${withinMs / 1_000} s: ${what}`)
    await sleep(everyMs)
  }
}

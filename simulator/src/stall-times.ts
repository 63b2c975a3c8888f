import { random } from './world/random.ts'

const STALLS_PER_SECOND = 1 / 1_200
const STALL_MS = [1_000, 6_000] as const

export interface Stall {
  /** Since the stall before, or since the connection was opened. */
  afterMs: number
  durationMs: number
}

/** When a connection stalls, and for how long; depends only on seed and connection. */
export function* stallTimes(seed: string, connection: string, perSecond = STALLS_PER_SECOND): Generator<Stall, never> {
  const draw = random(seed, 'stalls', connection)
  while (true) yield { afterMs: draw.waitMs(perSecond), durationMs: draw.whole(...STALL_MS) }
}

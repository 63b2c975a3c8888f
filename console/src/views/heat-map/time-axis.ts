const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const STEPS_MS = [
  5 * SECOND_MS,
  15 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  4 * HOUR_MS,
  24 * HOUR_MS,
]

/** Round times for labels, at most `most` of them. */
export function timeTicks(fromMs: number, toMs: number, most: number): number[] {
  const step = STEPS_MS.find((each) => (toMs - fromMs) / each <= most) ?? STEPS_MS.at(-1) ?? HOUR_MS
  const ticks: number[] = []
  for (let at = Math.ceil(fromMs / step) * step; at <= toMs; at += step) ticks.push(at)
  return ticks
}

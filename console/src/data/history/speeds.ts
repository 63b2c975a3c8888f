/** Multiples of real time; `max` is as fast as the page can read. */
export const SPEEDS = [0.25, 0.5, 1, 2, 5, 10, 30, 120, 'max'] as const
export type Speed = (typeof SPEEDS)[number]

/** The next faster (1) or slower (-1) speed; at the end the same. */
export function neighbourSpeed(speed: Speed, direction: 1 | -1): Speed {
  return SPEEDS[SPEEDS.indexOf(speed) + direction] ?? speed
}

export function speedText(speed: Speed): string {
  return speed === 'max' ? 'max' : `${speed}×`
}

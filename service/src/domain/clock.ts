/** Milliseconds since 1970. Durations are measured with `performance.now` instead, which nobody sets. */
export type Clock = () => number

/** The only place that reads the clock of the machine; everything else is given a clock, so that tests can move it. */
export const wallClock: Clock = () => Date.now()

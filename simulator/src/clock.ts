/** The world's time: starts where it is told and runs `speed` times as fast as ours, on a clock no one can set. */
export function worldClock(startMs: number, speed: number): () => number {
  const bootMs = performance.now()
  return () => Math.floor(startMs + (performance.now() - bootMs) * speed)
}

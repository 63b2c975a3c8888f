import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Imported into the API before its program: measures how long its event loop is blocked. A message from the parent is
 * answered with the figures since the message before.
 */
const RESOLUTION_MS = 10
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()
process.on('message', () => {
  // Each value is the time between two timers, which includes the resolution.
  const atShare = (percent: number): number => Math.max(0, delay.percentile(percent) / 1e6 - RESOLUTION_MS)
  process.send?.({ p50Ms: atShare(50), p99Ms: atShare(99), p999Ms: atShare(99.9), maxMs: atShare(100) })
  delay.reset()
})
process.channel?.unref()

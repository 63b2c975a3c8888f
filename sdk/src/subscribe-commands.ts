import type { Selector } from './generated/stream-types.ts'
import type { ReceivedFrames } from './received-frames.ts'
import type { Command } from './session.ts'
import type { StreamRequest } from './stream-events.ts'

/** The server accepts frames of up to 16 KiB; this leaves room for the rest of the command. */
const MAX_BYTES = 14_000
/** Longer than the longest slot, so that the last frame of every market is repeated and proves that nothing is missing. */
const OVERLAP_MS = 4_000

/** Commands that subscribe, or with `received` resume. Selectors that do not fit into one frame are split into several. */
export function subscribeCommands(request: StreamRequest, received?: ReceivedFrames): Command[] {
  const { channels = ['book'], options } = request
  const rest = { channels: [...channels], ...(options && { options }) }
  const newestMs = received?.newestMs()
  if (received === undefined || newestMs === undefined) {
    return splitBySize(request.selectors, MAX_BYTES).map((selectors) => ({ op: 'subscribe', selectors, ...rest }))
  }
  // By the times of frames: the clock of this machine may be wrong. The service refuses what is too old.
  const since = received.since(newestMs)
  const bytes = JSON.stringify(since).length + JSON.stringify(request.selectors).length
  if (bytes < MAX_BYTES && !request.selectors.some(isRolling)) {
    return [{ op: 'resume', selectors: [...request.selectors], ...rest, since }]
  }
  // A time also covers markets that were added during the interruption; duplicates are dropped.
  const sinceMs = received.oldestCurrentMs(newestMs) - OVERLAP_MS
  return splitBySize(request.selectors, MAX_BYTES).map((selectors) => {
    return { op: 'resume', selectors, ...rest, since: sinceMs }
  })
}

/** A slug without the time of a window, such as `btc-updown-5m`. */
const SERIES_SLUG = /-updown-\d+[mhd]$/i

/** Whether the selector selects other markets over time. */
function isRolling(selector: Selector): boolean {
  return 'coin' in selector || 'category' in selector || ('slug' in selector && SERIES_SLUG.test(selector.slug))
}

function splitBySize(selectors: readonly Selector[], maxBytes: number): Selector[][] {
  const all: Selector[][] = []
  let bytes = maxBytes
  for (const selector of selectors) {
    const size = JSON.stringify(selector).length + 1
    if (bytes + size > maxBytes) {
      all.push([])
      bytes = 0
    }
    all.at(-1)?.push(selector)
    bytes += size
  }
  return all
}

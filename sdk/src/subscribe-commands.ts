import type { Selector } from './generated/stream-types.ts'
import type { Seen } from './seen.ts'
import type { Command } from './session.ts'
import type { StreamRequest } from './stream-events.ts'

/** The server reads frames of 16 KiB; some of that is for what stands around. */
const MOST_BYTES = 14_000
/** Longer than the longest slot, so that the last frame of every market comes again and shows that there is no seam. */
const OVERLAP_MS = 4_000

/** What to say to begin, or with `seen` to go on after it. Selectors that don't fit into one frame go into several. */
export function subscribeCommands(request: StreamRequest, seen?: Seen): Command[] {
  const { channels = ['book'], options } = request
  const rest = { channels: [...channels], ...(options && { options }) }
  const newestMs = seen?.newestMs()
  if (seen === undefined || newestMs === undefined) {
    return portions(request.selectors, MOST_BYTES).map((selectors) => ({ op: 'subscribe', selectors, ...rest }))
  }
  const since = seen.since(Date.now())
  const bytes = JSON.stringify(since).length + JSON.stringify(request.selectors).length
  if (bytes < MOST_BYTES && !request.selectors.some(movesOn)) {
    return [{ op: 'resume', selectors: [...request.selectors], ...rest, since }]
  }
  // A time says it for all, also for markets that were not there before the break; what comes twice is dropped.
  const sinceMs = seen.oldestCurrentMs(newestMs) - OVERLAP_MS
  return portions(request.selectors, MOST_BYTES).map((selectors) => {
    return { op: 'resume', selectors, ...rest, since: sinceMs }
  })
}

/** Whether it means other markets as time passes. */
function movesOn(selector: Selector): boolean {
  return 'coin' in selector || 'category' in selector
}

function portions(selectors: readonly Selector[], mostBytes: number): Selector[][] {
  const all: Selector[][] = []
  let bytes = mostBytes
  for (const selector of selectors) {
    const size = JSON.stringify(selector).length + 1
    if (bytes + size > mostBytes) {
      all.push([])
      bytes = 0
    }
    all.at(-1)?.push(selector)
    bytes += size
  }
  return all
}

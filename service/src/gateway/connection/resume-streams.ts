import type { MarketStream } from '../channels/market-stream.ts'
import type { Refusal } from '../markets/resolve-selectors.ts'
import type { StreamMarket } from '../markets/stream-market.ts'
import type { ClientFrame } from '../protocol/protocol.ts'
import { CatchUp, type CatchUpDeps } from '../replay/catch-up.ts'
import { momentMs } from './read-frame.ts'

type ResumeFrame = Extract<ClientFrame, { op: 'resume' }>

export interface ResumeDeps extends CatchUpDeps {
  /** Starts a stream with the next live row. */
  readonly begin: (stream: MarketStream) => void
  /** Called when the rest of a stream can't be read. */
  readonly onFailed: (error: unknown) => void
}

/** Older positions need a replay. */
const RESUMES_WITHIN_MS = 3_600_000

/** Starts streams after the last slot that the client has. */
export function resumeStreams(
  deps: ResumeDeps,
  frame: ResumeFrame,
  streams: readonly MarketStream[],
  signal: AbortSignal,
): void {
  for (const own of Map.groupBy(streams, ({ market }) => market.id).values()) {
    const [first] = own
    if (first === undefined) continue
    const sinceSeq = sinceOf(frame, first.market)
    // Notices have no history, so there is nothing to catch up with.
    const rows = own.filter((stream) => !('notice' in stream))
    for (const stream of own) if (sinceSeq === undefined || !rows.includes(stream)) deps.begin(stream)
    if (sinceSeq === undefined || rows.length === 0) continue
    new CatchUp(deps, first.market, rows, sinceSeq).run(signal).catch((error: unknown) => {
      if (!signal.aborted) deps.onFailed(error)
    })
  }
}

export function tooOld(frame: ResumeFrame, markets: readonly StreamMarket[], nowMs: number): Refusal | undefined {
  const isOld = markets.some(
    (market) => (sinceOf(frame, market) ?? Number.POSITIVE_INFINITY) * market.intervalMs < nowMs - RESUMES_WITHIN_MS,
  )
  return isOld
    ? { reason: 'too_old', message: 'since must be within the last hour. Use a replay for older data.' }
    : undefined
}

/** The last slot that the client has of a market; undefined when it has none. */
function sinceOf({ since }: ResumeFrame, { name, intervalMs }: StreamMarket): number | undefined {
  if (typeof since === 'object') return since[name]
  return Math.floor(momentMs(since) / intervalMs)
}

import { setTimeout as sleep } from 'node:timers/promises'
import { BackOff } from './back-off.ts'
import type { FeedOptions, FeedOwner } from './feed-options.ts'
import { runSession, type SessionEnd } from './feed-session.ts'

/** Keeps one socket open for its subscriptions until the signal. Rejects only because of a bug in this process. */
export async function runFeed(options: FeedOptions, signal: AbortSignal): Promise<void> {
  const backOff = options.backOff ?? new BackOff()
  while (!signal.aborted) {
    try {
      await options.subscriptions.untilAny(signal)
      await options.gate.enter(signal)
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    const end = await runSession(options, signal, backOff)
    if (signal.aborted) return
    report(options.owner, end)
    if (end.retryAfterMs > 0) options.gate.closeFor(end.retryAfterMs)
    await sleep(Math.max(end.retryAfterMs, backOff.nextMs()), undefined, { signal }).catch(() => {})
  }
}

function report(owner: FeedOwner, { wasOpened, cause, detail, closing }: SessionEnd): void {
  if (wasOpened) owner.lost(cause, detail, closing)
  else owner.refused?.(detail)
}

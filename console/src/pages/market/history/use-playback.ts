import { useEffect, useState, useSyncExternalStore } from 'react'
import { accountClient } from '../../../data/clients.ts'
import { type ExactBook, Playback, type PlaybackView } from '../../../data/history/playback.ts'
import type { ReplayRange, TokenSide } from '../../../data/history/replay-messages.ts'
import type { GapSpan } from '../../../data/history/steps.ts'
import type { Span } from './chosen-range.ts'

/** One for each market, for as long as the page is shown. Undefined while it is made. */
export function usePlayback(market: string, intervalMs: number): Playback | undefined {
  const [playback, setPlayback] = useState<Playback>()
  useEffect(() => {
    const made = new Playback({ intervalMs, fetchBook: fetchBookOf(market, intervalMs) })
    setPlayback(made)
    return () => made.close()
  }, [market, intervalMs])
  return playback
}

export function usePlaybackView(playback: Playback): PlaybackView {
  return useSyncExternalStore(playback.subscribe, () => playback.view)
}

/** Plays are paused while nobody can see them. */
export function usePauseWhenHidden(playback: Playback): void {
  useEffect(() => {
    const onChange = (): void => {
      if (document.visibilityState === 'hidden') playback.pause()
    }
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [playback])
}

export function replayRange(market: string, intervalMs: number, range: Span, gaps: readonly GapSpan[]): ReplayRange {
  const firstSlot = Math.ceil(range.fromMs / intervalMs)
  const lastSlot = Math.ceil(range.toMs / intervalMs) - 1
  const missing = gaps
    .filter(({ kind, fromMs, toMs }) => kind === 'missing' && fromMs < range.toMs && toMs > range.fromMs)
    .map(({ fromMs, toMs }) => ({
      fromSlot: Math.ceil(fromMs / intervalMs),
      toSlot: Math.ceil(toMs / intervalMs) - 1,
    }))
  return { market, intervalMs, firstSlot, lastSlot, missing }
}

/** Free of charge: the row of a slot, or the last one of the minute before it. */
function fetchBookOf(market: string, intervalMs: number) {
  return async (slot: number, side: TokenSide, signal: AbortSignal): Promise<ExactBook> => {
    // A slot is sampled some milliseconds after its time.
    const timestamp = (slot + 1) * intervalMs - 1
    const token = side === 'up' ? 'UP' : 'DOWN'
    const query = { marketId: market, timestamp, direction: 'before', includebook: true, side: token } as const
    const answer = await accountClient.snapshots.get(query, { signal })
    return {
      slot: answer.sequence_number,
      bids: answer.bids ?? [],
      asks: answer.asks ?? [],
      capturedAt: Date.parse(answer.capture_timestamp),
      flags: answer.flags,
    }
  }
}

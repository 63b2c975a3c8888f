import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Playback, PlaybackView } from '../../../data/history/playback.ts'
import type { Speed } from '../../../data/history/speeds.ts'
import type { GapSpan } from '../../../data/history/steps.ts'
import { HeatViewport } from '../../../views/heat-map/heat-viewport.ts'
import { chosenMoment, chosenRange, LEAST_RANGE_MS, MOST_RANGE_MS, type Span, within } from './chosen-range.ts'
import { type HistorySearch, readHistorySearch } from './history-search.ts'
import { replayRange } from './use-playback.ts'

/** The address follows the page when it rests. */
const ADDRESS_AFTER_MS = 400

interface AddressedView {
  readonly search: HistorySearch
  readonly range: Span
  readonly speed: Speed
  readonly change: (changes: HistorySearch) => void
}

/** Range, moment and speed, as the address has them. */
export function useAddressedView(recorded: Span): AddressedView {
  const found = useSearch({ strict: false }) as Record<string, unknown>
  const { from, to, at, speed = 1 } = readHistorySearch(found)
  const [initial] = useState(() => chosenRange({ ...(at !== undefined && { at }) }, recorded))
  const range = useMemo(
    () => (from === undefined || to === undefined ? initial : within({ fromMs: from, toMs: to }, recorded)),
    [from, to, recorded, initial],
  )
  const navigate = useNavigate()
  const change = useCallback(
    (changes: HistorySearch) =>
      void navigate({ to: '.', search: (before: object) => ({ ...before, ...changes }), replace: true }),
    [navigate],
  )
  return { search: { ...(at !== undefined && { at }) }, range, speed, change }
}

/** The part of the heat map on the screen is the chosen range, whoever changes it. */
export function useViewport(rows: number, range: Span, recorded: Span, onChoose: (range: Span) => void): HeatViewport {
  const [viewport] = useState(
    () => new HeatViewport({ ...range, isFollowing: false }, { leastMs: LEAST_RANGE_MS, mostMs: MOST_RANGE_MS, rows }),
  )
  useEffect(() => {
    if (viewport.fromMs !== range.fromMs || viewport.toMs !== range.toMs) viewport.showTime(range.fromMs, range.toMs)
  }, [viewport, range])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const remove = viewport.onChange(() => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const { fromMs, toMs } = within(viewport, recorded)
        if (fromMs !== range.fromMs || toMs !== range.toMs) onChoose({ fromMs, toMs })
        else if (viewport.fromMs !== fromMs || viewport.toMs !== toMs) viewport.showTime(fromMs, toMs)
      }, ADDRESS_AFTER_MS)
    })
    return () => {
      clearTimeout(timer)
      remove()
    }
  }, [viewport, range, recorded, onChoose])
  return viewport
}

interface Addressed {
  readonly market: string
  readonly intervalMs: number
  readonly gaps: readonly GapSpan[]
  readonly playback: Playback
  readonly view: PlaybackView
  readonly addressed: AddressedView
}

/** Playback and address tell each other where the playhead is. A range that changes while playing counts afterwards. */
export function useAddressedPlayback({ market, intervalMs, gaps, playback, view, addressed }: Addressed): void {
  const { search, range, speed, change } = addressed
  const { at } = search
  const applied = useRef<Span>(undefined)
  const written = useRef(at)
  const isPaused = view.state === 'paused'
  useEffect(() => {
    if (!isPaused || applied.current === range) return
    // A time outside of the former range comes together with its range. After a change of the price step the playhead
    // stays where it is, also when the address does not have it yet.
    const isAddressed = playback.atMs === 0 || at !== written.current
    const former = isAddressed ? at : playback.atMs
    applied.current = range
    written.current = at
    const moment = chosenMoment({ ...(former !== undefined && { at: former }) }, range, intervalMs)
    playback.setRange(replayRange(market, intervalMs, range, gaps), moment)
  }, [isPaused, range, playback, market, intervalMs, gaps, at])
  useEffect(() => playback.setSpeed(speed), [playback, speed])
  useEffect(() => {
    if (at === undefined || at === written.current || at === playback.atMs || applied.current !== range) return
    written.current = at
    playback.moveTo(at)
  }, [at, range, playback])
  useEffect(() => {
    if (!isPaused || view.atMs === 0 || view.atMs === written.current) return undefined
    const timer = setTimeout(() => {
      written.current = view.atMs
      change({ at: view.atMs })
    }, ADDRESS_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isPaused, view.atMs, change])
}

import type { Bar, Estimate } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { replayPriceQuery } from '../../../data/history/history-queries.ts'
import type { Playback, PlaybackView } from '../../../data/history/playback.ts'
import { useDebounced } from '../../../views/use-debounced.ts'
import type { Span } from './chosen-range.ts'
import { playPrice, playText } from './play-price.ts'

interface PlayButtonInput {
  readonly market: string
  readonly intervalMs: number
  readonly range: Span
  readonly bars: readonly Bar[] | undefined
  readonly barMs: number
  readonly playback: Playback
  readonly view: PlaybackView
}

interface PlayButton {
  readonly text: string
  readonly isDisabled: boolean
  readonly onPress: () => void
  readonly estimate: Estimate | undefined
}

/** The price is asked for when the playhead rests, because looking around needs none. */
const PRICE_AFTER_MS = 600
const BOOKS_PER_SECOND = 3
const BOOKS_PER_SECOND_WITHOUT_STREAMS = 1

export function usePlayButton({ market, intervalMs, range, bars, barMs, playback, view }: PlayButtonInput): PlayButton {
  const [wantsPlay, setWantsPlay] = useState(false)
  const isPaused = view.state === 'paused'
  const rested = useDebounced(view.unknownFromMs, PRICE_AFTER_MS)
  const asked = wantsPlay ? view.unknownFromMs : rested
  const endMs = Math.ceil(range.toMs / intervalMs) * intervalMs
  const isAsked = isPaused && asked !== undefined && asked < endMs
  const answer = useQuery({ ...replayPriceQuery(market, asked ?? 0, endMs), enabled: isAsked })
  const estimate = isAsked ? answer.data : undefined
  const current = asked === view.unknownFromMs ? estimate : undefined
  // What the open replay may still cost was said before it was opened.
  const isPriced = view.unknownFromMs === undefined || view.creditsLeft !== undefined || current !== undefined
  const isIncluded = estimate?.is_included ?? true
  useEffect(() => {
    playback.booksPerSecond = isIncluded ? BOOKS_PER_SECOND : BOOKS_PER_SECOND_WITHOUT_STREAMS
  }, [playback, isIncluded])
  useEffect(() => {
    if (!wantsPlay || !isPriced) return
    setWantsPlay(false)
    if (isIncluded || view.unknownFromMs === undefined) playback.play()
  }, [wantsPlay, isPriced, isIncluded, playback, view.unknownFromMs])
  // A price that could not be read, or another place, needs another press: nothing plays that nobody asked for now.
  // Frames that arrive after a pause are no other place: they make known what comes after it.
  const { error } = answer
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is what changes.
  useEffect(() => setWantsPlay(false), [error, view.slot, endMs])
  const isAtEnd = view.atMs >= endMs - intervalMs
  const price = playPrice({
    unknownFromMs: view.unknownFromMs,
    toMs: endMs,
    creditsLeft: view.creditsLeft,
    estimate: current,
    bars,
    barMs,
  })
  const onPress = (): void => {
    if (!isPaused) playback.pause()
    else if (isAtEnd) playback.moveTo(range.fromMs)
    else setWantsPlay(true)
  }
  return {
    text: isAtEnd ? 'Back to the start' : playText(endMs - view.atMs, price),
    isDisabled: isPaused && !isAtEnd && !isIncluded && view.unknownFromMs !== undefined,
    onPress,
    estimate: current,
  }
}

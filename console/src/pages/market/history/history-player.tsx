import type { Bar } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { tradesQuery } from '../../../data/history/history-queries.ts'
import type { Playback } from '../../../data/history/playback.ts'
import { neighbourSpeed } from '../../../data/history/speeds.ts'
import { type GapSpan, gapAt, type Step, stepFrom } from '../../../data/history/steps.ts'
import { type MapStep, PRICE_STEPS } from '../../../data/map-steps.ts'
import { levelFor } from '../../../views/heat-map/detail-levels.ts'
import { HeatMap } from '../../../views/heat-map/heat-map.tsx'
import type { Boundary } from '../../../views/heat-map/heat-map-data.ts'
import { TileProblem } from '../../../views/heat-map/tile-problem.tsx'
import { KeysHelp } from '../../../views/keys-help.tsx'
import type { MarketSide } from '../market-search.ts'
import { StepSelect } from '../step-select.tsx'
import { type Span, within } from './chosen-range.ts'
import { GoToTime } from './go-to-time.tsx'
import styles from './history.module.css'
import { HistoryStatus } from './history-status.tsx'
import { MomentLadder } from './moment-ladder.tsx'
import { Overview } from './overview.tsx'
import { RangePresets } from './range-presets.tsx'
import { Scrubber, Transport } from './transport.tsx'
import { HISTORY_KEYS, useHistoryKeys } from './use-history-keys.ts'
import { useHistoryMap } from './use-history-map.ts'
import { useAddressedPlayback, useAddressedView, useViewport } from './use-history-view.ts'
import { usePlayButton } from './use-play-button.ts'
import { usePauseWhenHidden, usePlaybackView } from './use-playback.ts'

interface HistoryPlayerProps {
  readonly market: string
  readonly side: MarketSide
  readonly intervalMs: number
  readonly recorded: Span
  readonly step: MapStep
  /** Undefined until they are read. */
  readonly bars: readonly Bar[] | undefined
  readonly barMs: number
  readonly gaps: readonly GapSpan[]
  /** Start and end of the market, as far as they are recorded. */
  readonly boundaries: readonly Boundary[]
  readonly playback: Playback
}

/** Enough for the sizes of a ladder that is not exact. */
const USUAL_PX = 1_000

export function HistoryPlayer(props: HistoryPlayerProps): ReactNode {
  const { market, side, intervalMs, recorded, step, bars, barMs, gaps, boundaries, playback } = props
  const view = usePlaybackView(playback)
  const addressed = useAddressedView(recorded)
  const { range, speed, change } = addressed
  const trades = useQuery(tradesQuery(market, range)).data ?? NO_TRADES
  const windows = useMemo(() => boundaries.map(({ atMs }) => atMs), [boundaries])
  const map = useHistoryMap({ market, side, intervalMs, step, recorded, range, gaps, trades, boundaries })
  const choose = useCallback(({ fromMs, toMs }: Span) => change({ from: fromMs, to: toMs }), [change])
  const viewport = useViewport(map.rows, range, recorded, choose)
  useEffect(() => {
    const level = (): number => levelFor(map.levels, viewport.spanMs, USUAL_PX)
    playback.show({ side, data: map.data, level }, map.levels)
  }, [playback, side, map.data, map.levels, viewport])
  useAddressedPlayback({ market, intervalMs, gaps, playback, view, addressed })
  usePauseWhenHidden(playback)
  const button = usePlayButton({ market, intervalMs, range, bars, barMs, playback, view })
  const places = useMemo(
    () => ({ intervalMs, ...range, gaps, windows, trades: trades.map(({ received_at: at }) => Date.parse(at)) }),
    [intervalMs, range, gaps, windows, trades],
  )
  const move = (kind: Step, direction: 1 | -1): void =>
    playback.moveTo(stepFrom(playback.atMs, kind, direction, places))
  /** A time outside of the range takes the range with it. */
  const goTo = (atMs: number): void => {
    if (atMs >= range.fromMs && atMs < range.toMs) return playback.moveTo(atMs)
    const length = range.toMs - range.fromMs
    const { fromMs, toMs } = within({ fromMs: atMs - length / 2, toMs: atMs + length / 2 }, recorded)
    playback.pause()
    change({ from: fromMs, to: toMs, at: atMs })
  }
  const select = useCallback((atMs: number) => playback.moveTo(atMs), [playback])
  const goToField = useRef<HTMLInputElement>(null)
  const [isCopied, copy] = useCopiedAddress(playback, range)
  useHistoryKeys({
    togglePlay: button.onPress,
    step: move,
    changeSpeed: (direction) => change({ speed: neighbourSpeed(speed, direction) }),
    goTo: () => goToField.current?.focus(),
    copy,
  })
  const gap = gapAt(gaps, view.atMs)
  return (
    <div className={styles.history}>
      <Overview
        recorded={recorded}
        bars={bars}
        barMs={barMs}
        gaps={gaps}
        trades={trades}
        windows={windows}
        range={range}
        atMs={view.atMs}
        onChoose={(chosen) => choose(within(chosen, recorded))}
        onMove={goTo}
      />
      <div className={styles.main}>
        <div className={styles.map}>
          <HeatMap data={map.data} view={viewport} onNeed={map.onNeed} playheadMs={view.atMs} onSelect={select}>
            <RangePresets range={range} recorded={recorded} atMs={view.atMs} onChoose={choose} />
            <StepSelect step={step} />
          </HeatMap>
          <TileProblem data={map.data} onRetry={map.retry} />
          <Scrubber playback={playback} range={range} intervalMs={intervalMs} />
          <Transport
            view={view}
            play={button}
            speed={speed}
            onSpeed={(chosen) => change({ speed: chosen })}
            onStep={move}
          />
          <HistoryStatus view={view} gap={gap} estimate={button.estimate} isCopied={isCopied} onSkip={goTo} />
          <div className={styles.foot}>
            <GoToTime
              field={goToField}
              aroundMs={() => playback.atMs}
              addressedMs={addressed.search.at}
              recorded={recorded}
              onGo={goTo}
            />
            <KeysHelp keys={HISTORY_KEYS} />
          </div>
        </div>
        <MomentLadder
          market={market}
          side={side}
          intervalMs={intervalMs}
          playback={playback}
          view={view}
          gaps={gaps}
          step={Number(PRICE_STEPS[step])}
        />
      </div>
    </div>
  )
}

const NO_TRADES = [] as const

/** Copies the address of the moment, which may be newer than the address of the page. */
function useCopiedAddress(playback: Playback, { fromMs, toMs }: Span): [isCopied: boolean, copy: () => void] {
  const [copiedMs, setCopiedMs] = useState<number>()
  const copy = (): void => {
    const address = new URL(location.href)
    for (const [name, ms] of Object.entries({ from: fromMs, to: toMs, at: playback.atMs }))
      address.searchParams.set(name, String(ms))
    void navigator.clipboard.writeText(address.href).then(() => setCopiedMs(playback.atMs))
  }
  return [copiedMs !== undefined && copiedMs === playback.atMs, copy]
}

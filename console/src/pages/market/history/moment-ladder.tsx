import { type ReactNode, useMemo, useState } from 'react'
import type { Playback, PlaybackView } from '../../../data/history/playback.ts'
import type { GapSpan } from '../../../data/history/steps.ts'
import { usePreferences } from '../../../data/preferences.ts'
import { Ladder } from '../../../views/ladder/ladder.tsx'
import { Problem } from '../../../views/view.tsx'
import { momentText } from '../../../words/moment-texts.ts'
import type { TakenLevels } from '../execution-box.tsx'
import type { MarketSide } from '../market-search.ts'
import styles from './history.module.css'
import { LadderOfPlayback } from './ladder-of-playback.ts'
import { MomentExecution } from './moment-execution.tsx'

interface MomentLadderProps {
  readonly market: string
  readonly side: MarketSide
  readonly intervalMs: number
  readonly playback: Playback
  readonly view: PlaybackView
  readonly gaps: readonly GapSpan[]
  readonly step: number
}

/** The book at the playhead, whether it is the stored row, and what an order would have cost. */
export function MomentLadder(props: MomentLadderProps): ReactNode {
  const { market, side, intervalMs, playback, view, gaps, step } = props
  const [taken, setTaken] = useState<TakenLevels>()
  const source = useMemo(() => new LadderOfPlayback(playback, gaps), [playback, gaps])
  const { zone } = usePreferences()
  const { book, bookError } = view
  return (
    <div className={styles.moment}>
      <Ladder source={source} step={step} taken={taken} />
      <p className={styles.sampled}>
        {book?.kind === 'exact' && `Stored row, sampled ${momentText(book.capturedAt ?? 0, zone, 3).slice(11)}`}
      </p>
      {bookError !== undefined && book?.kind !== 'exact' && <Problem error={bookError} onRetry={playback.retryBook} />}
      <MomentExecution market={market} side={side} intervalMs={intervalMs} view={view} onTaken={setTaken} />
    </div>
  )
}

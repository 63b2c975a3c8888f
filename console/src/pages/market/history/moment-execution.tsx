import type { ReactNode } from 'react'
import type { PlaybackView } from '../../../data/history/playback.ts'
import { useDebounced } from '../../../views/use-debounced.ts'
import { ExecutionBox, type TakenLevels } from '../execution-box.tsx'
import type { MarketSide } from '../market-search.ts'

interface MomentExecutionProps {
  readonly market: string
  readonly side: MarketSide
  readonly intervalMs: number
  readonly view: PlaybackView
  readonly onTaken: (taken: TakenLevels | undefined) => void
}

/** A hand that moves the playhead rests for a shorter time. */
const REST_MS = 500

/** What an order would have cost at the playhead. It is asked for once the playhead rests, and never while playing. */
export function MomentExecution({ market, side, intervalMs, view, onTaken }: MomentExecutionProps): ReactNode {
  const { slot, state } = view
  const isPaused = state === 'paused'
  const rested = useDebounced(isPaused ? slot : 0, REST_MS)
  // A slot is sampled some milliseconds after its time.
  const atMs = (slot + 1) * intervalMs - 1
  const wait = isPaused ? '' : 'Pause to see the price at this moment.'
  const moment = rested === slot && slot > 0 ? { atMs } : { wait }
  return <ExecutionBox marketId={market} side={side} moment={moment} onTaken={onTaken} />
}

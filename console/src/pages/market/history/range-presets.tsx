import type { ReactNode } from 'react'
import { lengthText } from '../../../words/moment-texts.ts'
import { MOST_RANGE_MS, type Span, within } from './chosen-range.ts'
import styles from './history.module.css'

interface RangePresetsProps {
  readonly range: Span
  readonly recorded: Span
  readonly atMs: number
  readonly onChoose: (range: Span) => void
}

const MINUTE_MS = 60_000
const LENGTHS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS, 240 * MINUTE_MS]

/** Ranges of a usual length around the playhead, and everything. */
export function RangePresets({ range, recorded, atMs, onChoose }: RangePresetsProps): ReactNode {
  const recordedMs = recorded.toMs - recorded.fromMs
  const length = range.toMs - range.fromMs
  const fitting = LENGTHS_MS.filter((each) => each < recordedMs)
  return (
    <fieldset className={styles.speeds} aria-label="Range">
      {fitting.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={Math.abs(length - each) < 1_000}
          onClick={() => onChoose(within({ fromMs: atMs - each / 2, toMs: atMs + each / 2 }, recorded))}
        >
          {lengthText(each)}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={length >= Math.min(recordedMs, MOST_RANGE_MS)}
        onClick={() => onChoose(within(recorded, recorded))}
      >
        {recordedMs > MOST_RANGE_MS ? lengthText(MOST_RANGE_MS) : 'All'}
      </button>
    </fieldset>
  )
}

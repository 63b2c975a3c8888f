import { type ReactNode, useId } from 'react'
import { dayOf } from '../../views/calendar/calendar-days.ts'
import controls from '../../views/controls.module.css'
import { Panel } from '../../views/page.tsx'
import { Days } from './days.tsx'
import styles from './downloads.module.css'
import { type DownloadsSearch, finishedUntilMs, selectionOf, timeText } from './downloads-search.ts'

interface WhenStepProps {
  readonly search: DownloadsSearch
  readonly openedMs: number
  readonly onChange: (search: DownloadsSearch) => void
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PRESETS = [
  { name: 'Newest hour', rangeOf: (endMs: number) => [endMs - HOUR_MS, endMs] },
  { name: '6 hours', rangeOf: (endMs: number) => [endMs - 6 * HOUR_MS, endMs] },
  { name: '24 hours', rangeOf: (endMs: number) => [endMs - DAY_MS, endMs] },
  { name: 'Yesterday', rangeOf: (endMs: number) => [midnight(endMs) - DAY_MS, midnight(endMs)] },
] as const

function midnight(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}

export function WhenStep({ search, openedMs, onChange }: WhenStepProps): ReactNode {
  const { choice, fromMs, toMs } = selectionOf(search, openedMs)
  const { done: _, ...chosen } = search
  const choose = ([start = fromMs, end = toMs]: readonly number[]): void =>
    onChange({ ...chosen, from: timeText(start), to: timeText(end) })
  return (
    <Panel title="2. When" note="UTC; hours are whole">
      <div className={styles.fields}>
        <div className={styles.pair}>
          <TimeField label="From" ms={fromMs} onChange={(ms) => choose([ms, toMs])} />
          <TimeField label="To, not included" ms={toMs} onChange={(ms) => choose([fromMs, ms])} />
        </div>
        <div className={controls.row}>
          {PRESETS.map(({ name, rangeOf }) => (
            <button
              key={name}
              type="button"
              className={controls.button}
              onClick={() => choose(rangeOf(finishedUntilMs(openedMs)))}
            >
              {name}
            </button>
          ))}
        </div>
        <Days
          choice={choice}
          openedMs={openedMs}
          chosen={fromMs === midnight(fromMs) && toMs === fromMs + DAY_MS ? dayOf(fromMs) : undefined}
          onChoose={(day) => choose([Date.parse(day), Date.parse(day) + DAY_MS])}
        />
        {fromMs >= toMs && (
          <p className={styles.warning} role="alert">
            The start must be before the end.
          </p>
        )}
      </div>
    </Panel>
  )
}

interface TimeFieldProps {
  readonly label: string
  readonly ms: number
  readonly onChange: (ms: number) => void
}

function TimeField({ label, ms, onChange }: TimeFieldProps): ReactNode {
  const id = useId()
  return (
    <div className={controls.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={controls.input}
        type="datetime-local"
        value={new Date(ms).toISOString().slice(0, 16)}
        onChange={({ target }) => {
          const next = Date.parse(`${target.value}:00Z`)
          if (!Number.isNaN(next)) onChange(next)
        }}
      />
    </div>
  )
}

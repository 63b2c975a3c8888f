import type { CoveragePart } from '@bookreel/sdk'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import styles from './calendar.module.css'
import { HOUR_MS, longDayText } from './calendar-days.ts'
import { CellButton } from './cell-button.tsx'
import { cellKeys, focusCell } from './cell-focus.ts'

interface HourGridProps {
  readonly day: string
  readonly parts: readonly CoveragePart[]
  readonly chosen: number | undefined
  readonly onChoose: (hour: number, byKeyboard: boolean) => void
  /** The focus moves here when the hours appear. */
  readonly takesFocus: boolean
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }

export function HourGrid({ day, parts, chosen, onChoose, takesFocus }: HourGridProps): ReactNode {
  const grid = useRef<HTMLDivElement>(null)
  const [moved, setMoved] = useState<number>()
  const byHour = new Map(parts.map((part) => [hourOf(part), part]))
  const active = moved ?? chosen ?? HOURS.find((hour) => byHour.has(hour)) ?? 0
  useEffect(() => {
    if (takesFocus) focusCell(grid.current)
  }, [takesFocus])
  const onKeyDown = cellKeys<number>(grid, (key) => nextHour(key, active), setMoved)
  return (
    // biome-ignore lint/a11y/useSemanticElements: the hours wrap on small screens, which rows of a table cannot
    <div ref={grid} role="grid" aria-label={`Hours of ${longDayText(day)}`} onKeyDown={onKeyDown} tabIndex={-1}>
      {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: see above */}
      <div role="row" className={styles.hours}>
        {HOURS.map((hour) => (
          // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: see above
          <div key={hour} role="gridcell">
            <CellButton
              cell={hour}
              name={`${hourText(hour)} UTC`}
              part={byHour.get(hour)}
              current={hour === chosen ? 'time' : undefined}
              isActive={hour === active}
              onChoose={onChoose}
            >
              <span aria-hidden="true" className={styles.hour}>
                {String(hour).padStart(2, '0')}
              </span>
            </CellButton>
          </div>
        ))}
      </div>
    </div>
  )
}

function nextHour(key: string, active: number): number | undefined {
  if (key === 'Home') return 0
  if (key === 'End') return HOURS.length - 1
  const step = STEPS[key]
  return step === undefined ? undefined : Math.min(HOURS.length - 1, Math.max(0, active + step))
}

function hourOf({ start }: CoveragePart): number {
  return new Date(start).getUTCHours()
}

/** 14:00–15:00 */
export function hourText(hour: number): string {
  const clock = (each: number): string => `${String(each).padStart(2, '0')}:00`
  return `${clock(hour)}–${clock(hour + 1)}`
}

/** The hour as a range of times. */
export function hourRange(day: string, hour: number): { readonly from: string; readonly to: string } {
  const startMs = Date.parse(day) + hour * HOUR_MS
  return { from: new Date(startMs).toISOString(), to: new Date(startMs + HOUR_MS).toISOString() }
}

import type { CoveragePart } from '@bookreel/sdk'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { useIsNarrow } from '../use-is-narrow.ts'
import styles from './calendar.module.css'
import {
  type DayRange,
  dayOf,
  isInside,
  longDayText,
  monthStart,
  movedDay,
  stripsOf,
  weeksOf,
} from './calendar-days.ts'
import { CellButton } from './cell-button.tsx'
import { cellKeys } from './cell-focus.ts'

interface DayGridProps {
  /** For screen readers. */
  readonly name: string
  readonly range: DayRange
  readonly parts: readonly CoveragePart[]
  readonly chosen: string | undefined
  /** `byKeyboard`: the focus moves on to what was opened. */
  readonly onChoose: (day: string, byKeyboard: boolean) => void
}

interface Cells {
  readonly partOf: (day: string) => CoveragePart | undefined
  readonly active: string
  readonly chosen: string | undefined
  readonly onChoose: DayGridProps['onChoose']
}

/** Fewer weeks do not fill the width; their days are as large as those of a year. */
const FULL_WEEKS = 20
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
/** Days that an arrow key moves: a column is a week on wide screens, a row on narrow ones, where the newest is first. */
const WIDE_STEPS: Steps = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7 }
const NARROW_STEPS: Steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 7, ArrowDown: -7 }
type Steps = Readonly<Record<string, number>>

/** Days in weeks. One day takes part in the order of the Tab key; arrow keys move to the others. */
export function DayGrid({ name, range, parts, chosen, onChoose }: DayGridProps): ReactNode {
  const isNarrow = useIsNarrow()
  const grid = useRef<HTMLDivElement>(null)
  const [moved, setMoved] = useState<string>()
  const byDay = useMemo(() => new Map(parts.map((part) => [dayOf(part.start), part])), [parts])
  const active = [moved, chosen].find((day) => day !== undefined && isInside(day, range)) ?? range.last
  const onKeyDown = cellKeys<string>(
    grid,
    (key) => nextDay(key, active, range, isNarrow ? NARROW_STEPS : WIDE_STEPS),
    setMoved,
  )
  const cells: Cells = { partOf: (day) => byDay.get(day), active, chosen, onChoose }
  const weeks = weeksOf(range)
  return (
    // The keys of the days in it arrive here.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div ref={grid} className={styles.days} onKeyDown={onKeyDown}>
      {isNarrow ? (
        <WeekRows name={name} weeks={weeks.toReversed()} cells={cells} />
      ) : (
        stripsOf(weeks).map((strip, index, { length }) => (
          <Strip key={strip[0]?.join()} name={stripName(name, index, length)} weeks={strip} cells={cells} />
        ))
      )}
    </div>
  )
}

function stripName(name: string, index: number, count: number): string {
  return count === 1 ? name : `${name}, part ${index + 1} of ${count}`
}

function nextDay(key: string, active: string, range: DayRange, steps: Steps): string | undefined {
  if (key === 'Home') return range.first
  if (key === 'End') return range.last
  const step = steps[key]
  if (step === undefined) return undefined
  const day = movedDay(active, step)
  return isInside(day, range) ? day : active
}

type Weeks = readonly (readonly (string | undefined)[])[]

/** Seven rows of weekdays, a column for each week. */
function Strip({ name, weeks, cells }: { name: string; weeks: Weeks; cells: Cells }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the rows and cells of a table are those of a grid
    <table role="grid" aria-label={name} className={styles.strip} data-short={weeks.length < FULL_WEEKS || undefined}>
      <thead>
        <tr>
          <td />
          {weeks.map((week, index) => (
            <td key={week.join()} className={styles.month}>
              <span>{monthStart(week, index === 0)}</span>
            </td>
          ))}
        </tr>
      </thead>
      <tbody>
        {WEEKDAYS.map((weekday, row) => (
          <tr key={weekday}>
            <th scope="row">{weekday}</th>
            {weeks.map((week) => (
              <DayCell key={week.join()} day={week[row]} cells={cells} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A row for each week, the newest first, in a box of its own height. */
function WeekRows({ name, weeks, cells }: { name: string; weeks: Weeks; cells: Cells }): ReactNode {
  return (
    <div className={styles.weekBox}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the rows and cells of a table are those of a grid */}
      <table role="grid" aria-label={name} className={styles.weeks}>
        <thead>
          <tr>
            <td />
            {WEEKDAYS.map((weekday) => (
              <th key={weekday} scope="col">
                {weekday}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week, index) => (
            <tr key={week.join()}>
              <th scope="row">{monthStart(week, index === weeks.length - 1)}</th>
              {week.map((day, column) => (
                <DayCell key={day ?? WEEKDAYS[column]} day={day} cells={cells} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function DayCell({ day, cells }: { readonly day: string | undefined; readonly cells: Cells }): ReactNode {
  if (day === undefined) return <td />
  const { partOf, active, chosen, onChoose } = cells
  return (
    <td>
      <CellButton
        cell={day}
        name={longDayText(day)}
        part={partOf(day)}
        current={day === chosen ? 'date' : undefined}
        isActive={day === active}
        onChoose={onChoose}
      />
    </td>
  )
}

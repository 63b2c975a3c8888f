import type { CoveragePart } from '@bookreel/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { numberText } from '../../words/formats.ts'
import { shareText } from '../../words/share-text.ts'
import controls from '../controls.module.css'
import { RowsCsvButton } from '../list-actions.tsx'
import { View } from '../view.tsx'
import styles from './calendar.module.css'
import { type DayRange, longDayText } from './calendar-days.ts'
import type { CalendarPlace } from './calendar-place.ts'
import { focusCell } from './cell-focus.ts'
import { CONDITIONS, totalsOf } from './coverage-cell.ts'
import { CoverageTable } from './coverage-table.tsx'
import { DayGrid } from './day-grid.tsx'
import { HourGrid, hourText } from './hour-grid.tsx'
import { MarkOf } from './mark.tsx'

interface CoverageCalendarProps {
  /** Whose coverage it is, for screen readers. */
  readonly name: string
  readonly range: DayRange
  readonly days: readonly CoveragePart[]
  /** Of the day that is open. */
  readonly hours: UseQueryResult<readonly CoveragePart[]>
  readonly place: CalendarPlace
  readonly onPlace: (place: CalendarPlace) => void
  /** Below the hours of the day that is open, while no hour is. */
  readonly dayDetails?: ReactNode
  readonly hourDetails: ReactNode
}

/** Days of a year, the hours of one day, and what is known of one hour. */
export function CoverageCalendar(props: CoverageCalendarProps): ReactNode {
  const { name, range, days, hours, place, onPlace, dayDetails, hourDetails } = props
  const [isTable, setTable] = useState(false)
  const [isByKeyboard, setByKeyboard] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const hourBox = useRef<HTMLDivElement>(null)
  const tableId = useId()
  const { day, hour } = place
  const goUp = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || day === undefined) return
    event.preventDefault()
    onPlace(hour === undefined ? {} : { day })
    if (hour === undefined) focusCell(box.current, day)
    else focusCell(hourBox.current, String(hour))
  }
  return (
    // Escape closes the hour or the day that is open, wherever the focus is inside.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div ref={box} className={styles.calendar} onKeyDown={goUp}>
      <div className={styles.head}>
        <Totals days={days} />
        <div className={controls.row}>
          <button
            type="button"
            className={controls.button}
            aria-expanded={isTable}
            aria-controls={tableId}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? 'Show as calendar' : 'Show as table'}
          </button>
          <RowsCsvButton rows={days} name="coverage-days" />
        </div>
      </div>
      <div id={tableId}>
        {isTable ? (
          <CoverageTable caption={`${name}, by day`} parts={days} />
        ) : (
          <DayGrid
            name={name}
            range={range}
            parts={days}
            chosen={day}
            onChoose={(chosen, byKeyboard) => {
              setByKeyboard(byKeyboard)
              onPlace({ day: chosen })
            }}
          />
        )}
      </div>
      <Legend />
      {day !== undefined && (
        <div className={styles.opened} ref={hourBox}>
          <div className={styles.head}>
            <h3 className={styles.openedTitle}>{longDayText(day)}, by hour</h3>
            {hours.data !== undefined && hours.data.length > 0 && (
              <RowsCsvButton rows={hours.data} name="coverage-hours" />
            )}
          </div>
          <View of={hours}>
            {(parts) => (
              <>
                <HourGrid
                  key={day}
                  day={day}
                  parts={parts}
                  chosen={hour}
                  takesFocus={isByKeyboard}
                  onChoose={(chosen) => onPlace({ day, hour: chosen })}
                />
                {isTable && <CoverageTable caption={`${name}, by hour`} parts={parts} />}
              </>
            )}
          </View>
          {hour === undefined ? (
            dayDetails
          ) : (
            <>
              <h3 className={styles.openedTitle}>
                {longDayText(day)}, {hourText(hour)} UTC
              </h3>
              {hourDetails}
            </>
          )}
        </div>
      )}
    </div>
  )
}

function Totals({ days }: { readonly days: readonly CoveragePart[] }): ReactNode {
  const { counts, share } = totalsOf(days)
  const shown = CONDITIONS.filter(({ condition }) => counts[condition] > 0)
  return (
    <p className={styles.totals}>
      {share !== undefined && (
        <>
          <b>{shareText(share)}</b> of all expected slots are stored:{' '}
        </>
      )}
      {shown
        .map(({ condition }) => `${numberText(counts[condition])} ${daysText(counts[condition])} ${condition}`)
        .join(' · ')}
    </p>
  )
}

function daysText(count: number): string {
  return count === 1 ? 'day' : 'days'
}

function Legend(): ReactNode {
  return (
    <ul className={styles.legend}>
      {CONDITIONS.map(({ condition, meaning }) => (
        <li key={condition}>
          <span className={styles.sample}>
            <MarkOf condition={condition} />
          </span>
          <span>
            <b>{condition}</b>: {meaning}
          </span>
        </li>
      ))}
    </ul>
  )
}

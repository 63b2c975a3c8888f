import type { Status } from '@bookreel/sdk'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import type { KeyList } from '../../views/keys-help.tsx'
import { dayText } from '../../words/formats.ts'
import { dayWords } from '../../words/status-texts.ts'
import { dayShape } from './day-shape.ts'
import styles from './status-page.module.css'

type Day = Status['services'][number]['days'][number]

interface UptimeBarsProps {
  readonly name: string
  readonly days: readonly Day[]
}

const STEP = 10
const SPACE = 2
const HEIGHT = 30

export const BAR_KEYS: KeyList = [['← → Home End, on the bars', 'another day']]

/** One bar for each day. The arrow keys choose a day, as the pointer does; its figures are below the bars. */
export function UptimeBars({ name, days }: UptimeBarsProps): ReactNode {
  const id = useId()
  const last = days.length - 1
  const [chosen, setChosen] = useState(last)
  const day = days[Math.min(chosen, last)]
  if (day === undefined) return null
  const text = `${dayText(day.date, 'utc')}: ${dayWords(day)}`
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = { ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: last }[event.key]
    if (next === undefined) return
    event.preventDefault()
    setChosen(Math.max(0, Math.min(last, next)))
  }
  return (
    <div className={styles.uptime}>
      <div
        className={styles.bars}
        role="slider"
        tabIndex={0}
        aria-label={`Uptime of ${name} by day`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={chosen}
        aria-valuetext={text}
        aria-describedby={id}
        onKeyDown={onKeyDown}
      >
        <svg viewBox={`0 0 ${days.length * STEP - SPACE} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {days.map((each, place) => (
            // Pointers choose a day here, and the arrow keys above.
            <g key={each.date} onPointerEnter={() => setChosen(place)}>
              <Bar day={each} place={place} isChosen={place === chosen} />
            </g>
          ))}
        </svg>
      </div>
      <p id={id} className={styles.day}>
        {text}
      </p>
    </div>
  )
}

interface BarProps {
  readonly day: Day
  readonly place: number
  readonly isChosen: boolean
}

/** Hollow as far as nothing was measured, filled as far as something was; what failed is on top, in another colour. */
function Bar({ day, place, isChosen }: BarProps): ReactNode {
  const { known, failed } = dayShape(day)
  const box = { x: place * STEP, width: STEP - SPACE }
  return (
    <>
      <rect {...box} y={0} height={HEIGHT} className={isChosen ? styles.chosenArea : styles.area} />
      {known > failed && (
        <rect {...box} y={HEIGHT * (1 - known + failed)} height={HEIGHT * (known - failed)} className={styles.up} />
      )}
      {failed > 0 && <rect {...box} y={HEIGHT * (1 - known)} height={HEIGHT * failed} className={styles.failed} />}
    </>
  )
}

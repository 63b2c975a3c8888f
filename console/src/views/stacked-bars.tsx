import type { ReactNode } from 'react'
import { numberText, plainText } from '../words/formats.ts'
import { niceTop } from './nice-top.ts'
import styles from './stacked-bars.module.css'

interface Series {
  readonly id: string
  readonly name: string
  readonly values: readonly number[]
  readonly total: number
}

interface StackedBarsProps {
  readonly days: readonly string[]
  /** At most as many as there are colours. */
  readonly series: readonly Series[]
  /** What is counted, in the plural. */
  readonly what: string
}

const HEIGHT = 160
const WIDTH = 1_000
/** Part of a day's width that is left free. */
const SPACE = 0.22

/** Bars per day. The page shows the same figures as a table, so readers of the screen get a summary only. */
export function StackedBars({ days, series, what }: StackedBarsProps): ReactNode {
  const totals = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0))
  const top = niceTop(Math.max(...totals, 1))
  const busiest = totals.indexOf(Math.max(...totals))
  const summary = `${what} per day from ${days[0]} to ${days.at(-1)}; most on ${days[busiest]}: ${numberText(totals[busiest] ?? 0)}`
  return (
    <figure className={styles.figure}>
      <div className={styles.chart}>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
          <line className={styles.line} x1={0} x2={WIDTH} y1={0.5} y2={0.5} />
          <line className={styles.line} x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          <line className={styles.base} x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
          {days.map((day, index) => (
            <Bar key={day} day={day} place={index} days={days.length} top={top} series={series} what={what} />
          ))}
        </svg>
        <div className={styles.scale} aria-hidden="true">
          <span>{numberText(top)}</span>
          <span>{top % 2 === 0 && numberText(top / 2)}</span>
          <span>0</span>
        </div>
        <div className={styles.days}>
          <span>{days[0]}</span>
          <span>{days[Math.floor((days.length - 1) / 2)]}</span>
          <span>{days.at(-1)}</span>
        </div>
      </div>
      <figcaption className={styles.legend}>
        {series.map(({ id, name, total }, index) => (
          <span key={id}>
            <svg className={styles.key} viewBox="0 0 10 10" aria-hidden="true">
              <rect className={styles[`series${index}`]} width="10" height="10" rx="2" />
            </svg>
            <bdi>{plainText(name)}</bdi> <b>{numberText(total)}</b>
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

interface BarProps extends Omit<StackedBarsProps, 'days'> {
  readonly day: string
  readonly place: number
  readonly days: number
  readonly top: number
}

function Bar({ day, place, days, top, series, what }: BarProps): ReactNode {
  const step = WIDTH / days
  const parts = series.map(({ id, name, values }) => ({ id, name, value: values[place] ?? 0 }))
  const shown = parts.filter(({ value }) => value > 0)
  const title = [`${day}:`, ...shown.map(({ name, value }) => `${name} ${numberText(value)}`)].join('\n')
  let y = HEIGHT
  return (
    <g>
      <title>{shown.length === 0 ? `${day}: no ${what}` : title}</title>
      <rect x={place * step} y={0} width={step} height={HEIGHT} className={styles.area} />
      {parts.map(({ id, value }, index) => {
        const height = (value / top) * HEIGHT
        y -= height
        return (
          <rect
            key={id}
            className={styles[`series${index}`]}
            x={place * step + (step * SPACE) / 2}
            y={y}
            width={step * (1 - SPACE)}
            height={height}
          />
        )
      })}
    </g>
  )
}

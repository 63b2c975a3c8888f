import type { CoveragePart } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { coverageDaysQuery, marketDaysQuery } from '../../data/coverage-queries.ts'
import { type DayRange, dayOf, movedDay } from '../../views/calendar/calendar-days.ts'
import { DayGrid } from '../../views/calendar/day-grid.tsx'
import controls from '../../views/controls.module.css'
import { View } from '../../views/view.tsx'
import { capitalised } from '../../words/formats.ts'
import styles from './downloads.module.css'
import type { Choice } from './downloads-search.ts'

/** Days that the calendar shows: three months fit beside the time fields. */
const SHOWN_DAYS = 91

interface DaysProps {
  readonly choice: Choice
  readonly openedMs: number
  readonly chosen: string | undefined
  readonly onChoose: (day: string) => void
}

/** What was recorded on each day, of the first market that is chosen, or of its category: coins have no sums of their own. */
export function Days({ choice, openedMs, chosen, onChoose }: DaysProps): ReactNode {
  const last = dayOf(openedMs)
  const range = useMemo(() => ({ first: movedDay(last, 1 - SHOWN_DAYS), last }), [last])
  const market = choice.by === 'markets' ? choice.ids[0] : undefined
  const category = choice.by === 'category' ? choice.category : 'crypto'
  const ofVenue = choice.by === 'markets' || choice.venue === undefined ? {} : { venue: choice.venue }
  const ofMarket = useQuery({ ...marketDaysQuery(market ?? ''), enabled: market !== undefined })
  const ofAll = useQuery({ ...coverageDaysQuery({ category, ...ofVenue }, range), enabled: choice.by !== 'markets' })
  if (choice.by === 'markets' && market === undefined) return null
  const name = market === undefined ? `${capitalised(category)} markets` : 'The first chosen market'
  return (
    <div className={styles.days}>
      <p className={controls.hint}>{name}, by day. A day chooses its 24 hours.</p>
      <View<{ readonly parts: readonly CoveragePart[] }> of={market === undefined ? ofAll : ofMarket}>
        {({ parts }) => (
          <DayGrid name={name} range={rangeOf(range, parts)} parts={parts} chosen={chosen} onChoose={onChoose} />
        )}
      </View>
    </div>
  )
}

/** An older market begins earlier than the days that are shown. */
function rangeOf(usual: DayRange, parts: readonly { readonly start: string }[]): DayRange {
  const lastPart = parts.at(-1)
  if (lastPart === undefined || dayOf(lastPart.start) >= usual.first) return usual
  const last = dayOf(lastPart.start)
  return { first: movedDay(last, 1 - SHOWN_DAYS), last }
}

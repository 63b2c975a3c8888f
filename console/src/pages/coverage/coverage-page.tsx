import type { CoveragePart } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { coverageDaysQuery, coverageHoursQuery } from '../../data/coverage-queries.ts'
import { dayOf, lastYear } from '../../views/calendar/calendar-days.ts'
import { CALENDAR_KEYS } from '../../views/calendar/calendar-keys.ts'
import { placeOf } from '../../views/calendar/calendar-place.ts'
import { CauseTable } from '../../views/calendar/cause-table.tsx'
import { CoverageCalendar } from '../../views/calendar/coverage-calendar.tsx'
import { causesOf, partText } from '../../views/calendar/coverage-cell.ts'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { KeysHelp } from '../../views/keys-help.tsx'
import { Page, Panel } from '../../views/page.tsx'
import { View } from '../../views/view.tsx'
import { emptyText } from '../../words/empty-reasons.ts'
import { capitalised } from '../../words/formats.ts'
import styles from './coverage.module.css'
import { COVERAGE_CATEGORIES, COVERAGE_VENUES, type CoverageSearch } from './coverage-search.ts'
import { DayDetails } from './day-details.tsx'

const NAME = 'Coverage of all markets'

/** Public: what is missing is no secret. */
export function CoveragePage(): ReactNode {
  const search = useSearch({ from: '/coverage' })
  const navigate = useNavigate({ from: '/coverage' })
  const { venue, category, day, hour } = search
  const choice = { ...(venue && { venue }), ...(category && { category }) }
  const range = useMemo(() => lastYear(Date.now()), [])
  const days = useQuery(coverageDaysQuery(choice, range))
  const hours = useQuery({ ...coverageHoursQuery(choice, day ?? ''), enabled: day !== undefined })
  const ofDay = days.data?.parts.filter(({ start }) => dayOf(start) === day) ?? []
  const ofHour = hours.data?.filter(({ start }) => new Date(start).getUTCHours() === hour) ?? []
  return (
    <Page
      title="Coverage"
      lead="What was recorded in the last 365 days, what is missing, and why. Days and hours are in UTC."
      action={<Choices search={search} />}
    >
      <Panel
        title={panelTitle(search)}
        note={
          days.data?.counted_to && (
            <>
              counted to <Instant at={days.data.counted_to} />
            </>
          )
        }
      >
        <View
          of={days}
          empty={({ parts, empty_reason: reason }) => (parts.length === 0 ? emptyText(reason) : undefined)}
        >
          {({ parts }) => (
            <CoverageCalendar
              name={NAME}
              range={range}
              days={parts}
              hours={hours}
              place={placeOf(search)}
              onPlace={(place) => void navigate({ search: { ...choice, ...place }, replace: true, resetScroll: false })}
              dayDetails={day !== undefined && <DayDetails day={day} part={ofDay[0]} choice={choice} />}
              hourDetails={<Causes parts={ofHour} />}
            />
          )}
        </View>
        <KeysHelp keys={CALENDAR_KEYS} />
      </Panel>
    </Page>
  )
}

function panelTitle({ venue, category }: CoverageSearch): string {
  const what = category === undefined ? 'All markets' : `${capitalised(category)} markets`
  return venue === undefined ? what : `${what} of ${capitalised(venue)}`
}

/** Gaps of an hour by cause. */
function Causes({ parts }: { readonly parts: readonly CoveragePart[] }): ReactNode {
  const causes = causesOf(parts)
  if (causes.length === 0) return <p>{capitalised(partText(parts[0]))}. There is no gap in this hour.</p>
  return (
    <>
      <p>{capitalised(partText(parts[0]))}.</p>
      <CauseTable caption="Gaps of the hour by cause" causes={causes} />
    </>
  )
}

function Choices({ search }: { readonly search: CoverageSearch }): ReactNode {
  const navigate = useNavigate({ from: '/coverage' })
  const { venue, category, ...place } = search
  return (
    <div className={controls.row}>
      <nav className={controls.segments} aria-label="Venue">
        {[undefined, ...COVERAGE_VENUES].map((each) => (
          <Link
            key={each ?? 'all'}
            to="/coverage"
            search={{ ...(category && { category }), ...(each && { venue: each }), ...place }}
            replace
            activeOptions={{ exact: true }}
            activeProps={{}}
            aria-current={each === venue ? 'true' : undefined}
          >
            {each === undefined ? 'All venues' : capitalised(each)}
          </Link>
        ))}
      </nav>
      <label className={styles.category}>
        <span className={controls.hint}>Category</span>
        <select
          className={controls.input}
          value={category ?? ''}
          onChange={({ target }) => {
            const chosen = COVERAGE_CATEGORIES.find((each) => each === target.value)
            const others = { ...(venue && { venue }), ...place }
            void navigate({ search: chosen === undefined ? others : { ...others, category: chosen }, replace: true })
          }}
        >
          <option value="">all</option>
          {COVERAGE_CATEGORIES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
    </div>
  )
}

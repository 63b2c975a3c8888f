import type { CoveragePart, MarketCoverage } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hourGapsQuery, marketDaysQuery, marketHoursQuery } from '../../data/coverage-queries.ts'
import { type DayRange, dayOf } from '../../views/calendar/calendar-days.ts'
import { CALENDAR_KEYS } from '../../views/calendar/calendar-keys.ts'
import { type CalendarPlace, placeOf } from '../../views/calendar/calendar-place.ts'
import { CauseTable } from '../../views/calendar/cause-table.tsx'
import { CoverageCalendar } from '../../views/calendar/coverage-calendar.tsx'
import { causesOf } from '../../views/calendar/coverage-cell.ts'
import { hourRange } from '../../views/calendar/hour-grid.tsx'
import { Instant } from '../../views/instant.tsx'
import { KeysHelp } from '../../views/keys-help.tsx'
import { CsvButton } from '../../views/list-actions.tsx'
import { Panel } from '../../views/page.tsx'
import { View } from '../../views/view.tsx'
import { emptyText } from '../../words/empty-reasons.ts'
import { HourGaps } from './hour-gaps.tsx'
import type { MarketSearch } from './market-search.ts'
import type { MarketTabProps } from './market-tab-props.ts'

/** The coverage calendar of one market. */
export function CoverageTab({ market }: MarketTabProps): ReactNode {
  const days = useQuery(marketDaysQuery(market.market_id))
  return (
    <Panel title="Coverage" note={days.data && <Recorded coverage={days.data} />}>
      <View of={days} empty={({ parts, empty_reason: reason }) => (parts.length === 0 ? emptyText(reason) : undefined)}>
        {(coverage) => <Calendar marketId={market.market_id} coverage={coverage} />}
      </View>
      <KeysHelp keys={CALENDAR_KEYS} />
    </Panel>
  )
}

function Calendar({ marketId, coverage }: { readonly marketId: string; readonly coverage: MarketCoverage }): ReactNode {
  const { parts } = coverage
  const opened: MarketSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  // A market of one day opens it at once, and one of a single hour that hour.
  const onlyDay = parts[0] !== undefined && parts.length === 1 ? dayOf(parts[0].start) : undefined
  const { day = onlyDay } = opened
  const hours = useQuery({ ...marketHoursQuery(marketId, day ?? ''), enabled: day !== undefined })
  const hour = opened.day === undefined ? onlyHour(hours.data) : opened.hour
  // The only day stays open, so the address tells whether its hour was closed.
  const open = ({ day: next = onlyDay, hour: nextHour }: CalendarPlace): void => {
    const search = (before: object): object => ({ ...before, day: next, hour: nextHour })
    void navigate({ to: '.', search, replace: true, resetScroll: false })
  }
  return (
    <>
      {coverage.history_from !== undefined && <Older from={coverage.history_from} />}
      <CoverageCalendar
        name="Coverage of this market"
        range={rangeOf(parts)}
        days={parts}
        hours={hours}
        place={placeOf({ day, hour })}
        onPlace={open}
        dayDetails={<DayCauses parts={parts.filter(({ start }) => dayOf(start) === day)} />}
        hourDetails={
          day !== undefined && hour !== undefined && <Gaps marketId={marketId} range={hourRange(day, hour)} />
        }
      />
    </>
  )
}

function onlyHour(hours: readonly CoveragePart[] | undefined): number | undefined {
  const [first, ...others] = hours ?? []
  return first !== undefined && others.length === 0 ? new Date(first.start).getUTCHours() : undefined
}

function rangeOf(parts: readonly CoveragePart[]): DayRange {
  const [first, last] = [parts[0]?.start ?? '', parts.at(-1)?.start ?? '']
  return { first: dayOf(first), last: dayOf(last) }
}

function Gaps({ marketId, range }: { marketId: string; range: ReturnType<typeof hourRange> }): ReactNode {
  const gaps = useQuery(hourGapsQuery(marketId, range))
  return (
    <>
      <View of={gaps}>{(report) => <HourGaps report={report} />}</View>
      <p>
        <CsvButton
          path={`/app/api/v1/markets/${encodeURIComponent(marketId)}/gaps`}
          query={{ ...range, limit: '500' }}
          name="gaps"
        />
      </p>
    </>
  )
}

function DayCauses({ parts }: { readonly parts: readonly CoveragePart[] }): ReactNode {
  const causes = causesOf(parts)
  if (causes.length === 0) return <p>There is no gap on this day. Choose an hour for its slots.</p>
  return <CauseTable caption="Gaps of the day by cause" causes={causes} />
}

function Recorded({ coverage }: { readonly coverage: MarketCoverage }): ReactNode {
  const { recorded_from: from, recorded_to: to } = coverage
  if (from === null || to === null) return null
  return (
    <>
      recorded <Instant at={from} /> to <Instant at={to} />
    </>
  )
}

function Older({ from }: { readonly from: string }): ReactNode {
  return (
    <p>
      Your tier includes the time from <Instant at={from} /> on; older data is recorded.{' '}
      <Link to="/pricing">See what each tier includes</Link>
    </p>
  )
}

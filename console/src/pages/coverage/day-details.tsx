import type { CoveragePart, WorstMarket } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type CoverageChoice, coverageDayQuery } from '../../data/coverage-queries.ts'
import { addressName } from '../../data/market-address.ts'
import { longDayText } from '../../views/calendar/calendar-days.ts'
import { CauseTable } from '../../views/calendar/cause-table.tsx'
import { causesOf, partText } from '../../views/calendar/coverage-cell.ts'
import { RowsCsvButton } from '../../views/list-actions.tsx'
import { Table } from '../../views/table.tsx'
import { View } from '../../views/view.tsx'
import { capitalised, numberText, plainText } from '../../words/formats.ts'
import { shareText } from '../../words/share-text.ts'
import styles from './coverage.module.css'

interface DayDetailsProps {
  readonly day: string
  readonly part: CoveragePart | undefined
  readonly choice: CoverageChoice
}

/** Gaps of a day by cause, and the markets that lack the most. */
export function DayDetails({ day, part, choice }: DayDetailsProps): ReactNode {
  const causes = part === undefined ? [] : causesOf([part])
  return (
    <div className={styles.details}>
      <p>
        {longDayText(day)}: {partText(part)}.
      </p>
      {causes.length > 0 && (
        <>
          <h3>Gaps of the day by cause</h3>
          <CauseTable caption="Gaps of the day by cause" causes={causes} />
        </>
      )}
      {part !== undefined && <Worst day={day} choice={choice} />}
    </div>
  )
}

const NOT_COUNTED = 'For this day the service has only the sums of all markets, not the figures of single ones.'
const ALL_COMPLETE = 'Every market of this day is complete.'

function Worst({ day, choice }: Pick<DayDetailsProps, 'day' | 'choice'>): ReactNode {
  const coverage = useQuery(coverageDayQuery(choice, day))
  return (
    <>
      <h3>Markets with the worst coverage</h3>
      <View of={coverage} empty={({ worst_markets: worst }) => whyNone(worst)}>
        {({ worst_markets: worst = [] }) => (
          <>
            <Table
              caption="Markets with the worst coverage"
              rows={worst}
              rowKey={({ market_id: id }) => id}
              columns={[
                { name: 'Market', cell: (market) => <MarketName market={market} /> },
                { name: 'Venue', cell: ({ venue }) => capitalised(venue) },
                { name: 'Complete', isNumber: true, cell: ({ share }) => shareText(share) },
                { name: 'Missing', isNumber: true, cell: ({ missing_slots: slots }) => numberText(slots) },
                { name: 'In doubt', isNumber: true, cell: ({ suspect_slots: slots }) => numberText(slots) },
                { name: 'Expected', isNumber: true, cell: ({ expected_slots: slots }) => numberText(slots) },
              ]}
            />
            <p>
              <RowsCsvButton rows={worst} name="worst-markets" />
            </p>
          </>
        )}
      </View>
    </>
  )
}

function whyNone(worst: readonly WorstMarket[] | undefined): string | undefined {
  if (worst === undefined) return NOT_COUNTED
  return worst.length === 0 ? ALL_COMPLETE : undefined
}

/** A market that is no longer listed has only its id. */
function MarketName({ market }: { readonly market: WorstMarket }): ReactNode {
  const { market_id: id, slug, venue, question } = market
  return (
    <Link to="/m/$market" params={{ market: addressName({ id, slug, venue }) }} search={{ tab: 'coverage' }}>
      <bdi>{plainText(question) || id}</bdi>
    </Link>
  )
}

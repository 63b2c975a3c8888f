import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dataColumnsQuery, marketHoursQuery, marketSummaryQuery } from '../../data/market-data-queries.ts'
import page from '../../views/page.module.css'
import { Figures, Panel } from '../../views/page.tsx'
import { Table } from '../../views/table.tsx'
import { useOpened } from '../../views/use-opened.ts'
import { View } from '../../views/view.tsx'
import { numberText, percentText } from '../../words/formats.ts'
import styles from './data-tab.module.css'
import { FinishedHour } from './finished-hour.tsx'
import type { MarketTabProps } from './market-tab-props.ts'
import { StoredRows } from './stored-rows.tsx'

/** What is stored of a market: counts, first rows, columns, and the files of finished hours. */
export function DataTab({ market: { market_id: id }, side }: MarketTabProps): ReactNode {
  return (
    <div className={`${styles.tab} ${page.parts}`}>
      <SlotCounts id={id} />
      <Hours id={id} />
      <StoredRows id={id} side={side === 'up' ? 'UP' : 'DOWN'} />
      <Columns />
    </div>
  )
}

function SlotCounts({ id }: { readonly id: string }): ReactNode {
  const summary = useQuery(marketSummaryQuery(id))
  const hours = useQuery(marketHoursQuery(id))
  const suspect = hours.data?.parts.reduce((sum, part) => sum + part.suspect_slots, 0)
  return (
    <View of={summary}>
      {({ coverage, verified_slots: proved, proof, gap_counts: gaps }) => (
        <Figures
          of={[
            { name: 'Slots expected', value: numberText(coverage.expected_slots) },
            {
              name: 'Stored',
              value: numberText(coverage.stored_slots),
              ...(coverage.share !== null && { note: percentText(coverage.share * 100) }),
            },
            { name: 'Missing', value: numberText(coverage.missing_slots), note: `${numberText(gaps.missing)} gaps` },
            {
              name: 'In doubt',
              value: suspect === undefined ? '–' : numberText(suspect),
              note: `${numberText(gaps.suspect)} gaps`,
            },
            {
              name: 'Proved by hash',
              value: proof === 'hash' ? numberText(proved) : 'none',
              note: PROOF_NOTES[proof],
            },
          ]}
        />
      )}
    </View>
  )
}

const PROOF_NOTES = {
  hash: 'both books have the hash of the venue',
  sequence: 'the venue numbers its changes instead',
  none: 'the venue offers no proof',
} as const

function Hours({ id }: { readonly id: string }): ReactNode {
  const hours = useQuery(marketHoursQuery(id))
  return (
    <Panel title="Hours" note="a file is available five minutes after the end of its hour">
      <View
        of={hours}
        empty={({ parts }) => (parts.length === 0 ? 'Nothing of this market is recorded yet.' : undefined)}
      >
        {({ parts, history_from: from }) => (
          <>
            {from !== undefined && <p>Older hours are recorded, and your tier does not include them.</p>}
            <ul className={styles.hours}>
              {parts.toReversed().map((part) => (
                <FinishedHour key={part.start} id={id} part={part} />
              ))}
            </ul>
          </>
        )}
      </View>
    </Panel>
  )
}

function Columns(): ReactNode {
  const [isOpen, details] = useOpened()
  const columns = useQuery({ ...dataColumnsQuery, enabled: isOpen })
  return (
    <Panel title="Columns">
      <details {...details}>
        <summary>What each column means</summary>
        {isOpen && (
          <View of={columns}>
            {(list) => (
              <Table
                caption="Columns"
                rows={list}
                rowKey={({ name }) => name}
                columns={[
                  { name: 'Column', cell: ({ name }) => <code className={styles.column}>{name}</code> },
                  { name: 'Type', cell: ({ type }) => type },
                  { name: 'Meaning', cell: ({ meaning }) => meaning },
                ]}
              />
            )}
          </View>
        )}
      </details>
    </Panel>
  )
}

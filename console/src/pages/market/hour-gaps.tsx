import type { GapReport } from '@bookreel/sdk'
import type { ReactNode } from 'react'
import { MAX_GAPS } from '../../data/coverage-queries.ts'
import { usePreferences } from '../../data/preferences.ts'
import { Badge } from '../../views/badge.tsx'
import { Table } from '../../views/table.tsx'
import { numberText, type TimeZone, timeFormat } from '../../words/formats.ts'
import { causeText } from '../../words/gap-causes.ts'
import { countText, lossText, shareText } from '../../words/share-text.ts'
import styles from './hour-gaps.module.css'

const KINDS = {
  missing: { tone: 'bad', text: 'missing' },
  suspect: { tone: 'warn', text: 'suspect' },
} as const

/** Every gap of an hour with its cause, and slots that have neither a row nor a gap, which must not exist. */
export function HourGaps({ report }: { readonly report: GapReport }): ReactNode {
  const { zone } = usePreferences()
  const { coverage, gaps, gap_count: count, unaccounted_slots: unaccounted } = report
  const suspect = gaps.filter(({ kind }) => kind === 'suspect').reduce((sum, { slots }) => sum + slots, 0)
  return (
    <div className={styles.gaps}>
      <p>
        {coverage.share === null
          ? 'No slot was expected in this hour.'
          : `${shareText(coverage.share)} of ${countText(coverage.expected_slots)} stored, ${lossText({ missing: coverage.missing_slots, suspect })}.`}
      </p>
      {unaccounted > 0 && (
        <p className={styles.defect} role="alert">
          <b>{countText(unaccounted)} without a row and without a cause.</b> This is a defect in Bookreel. Please report
          it with the time and the market.
        </p>
      )}
      {gaps.length > 0 && (
        <Table
          caption="Gaps of the hour"
          rows={gaps}
          rowKey={({ first_slot: slot, kind, cause }) => `${slot} ${kind} ${cause}`}
          columns={[
            { name: 'From', cell: ({ from }) => <ExactTime at={from} zone={zone} /> },
            { name: 'To', cell: ({ to }) => <ExactTime at={to} zone={zone} /> },
            { name: 'Slots', isNumber: true, cell: ({ slots }) => numberText(slots) },
            { name: 'Kind', cell: ({ kind }) => <Badge tone={KINDS[kind].tone}>{KINDS[kind].text}</Badge> },
            { name: 'Group', cell: ({ cause }) => causeText(cause).group },
            {
              name: 'Cause',
              cell: ({ cause, detail }) => (
                <span title={detail}>
                  <code>{cause}</code>: {causeText(cause).sentence}
                </span>
              ),
            },
          ]}
        />
      )}
      {count > gaps.length && (
        <p>
          The first {MAX_GAPS} of {numberText(count)} gaps are shown. The endpoint of the gaps has all of them.
        </p>
      )}
    </div>
  )
}

/** With milliseconds: slots are closer together than seconds. */
function ExactTime({ at, zone }: { readonly at: string; readonly zone: TimeZone }): ReactNode {
  return (
    <time dateTime={at} title={at}>
      {exactText(at, zone)}
    </time>
  )
}

/** 14:05:09.250 */
function exactText(at: string, zone: TimeZone): string {
  const milliseconds = String(Date.parse(at) % 1_000).padStart(3, '0')
  return `${timeFormat(zone, { timeStyle: 'medium' }).format(new Date(at))}.${milliseconds}`
}

import type { CoveragePart } from '@bookreel/sdk'
import type { ReactNode } from 'react'
import { numberText } from '../../words/formats.ts'
import { causeText } from '../../words/gap-causes.ts'
import { shareText } from '../../words/share-text.ts'
import { Instant } from '../instant.tsx'
import { Table } from '../table.tsx'
import { causesOf } from './coverage-cell.ts'

/** The figures of a calendar, the newest first. */
export function CoverageTable({
  caption,
  parts,
}: {
  readonly caption: string
  readonly parts: readonly CoveragePart[]
}): ReactNode {
  return (
    <Table
      caption={caption}
      rows={parts.toReversed()}
      rowKey={({ start }) => start}
      columns={[
        { name: 'Start', cell: ({ start }) => <Instant at={start} /> },
        { name: 'Condition', cell: ({ condition }) => condition },
        { name: 'Complete', isNumber: true, cell: ({ share }) => shareText(share) },
        { name: 'Expected', isNumber: true, cell: (part) => numberText(part.expected_slots) },
        { name: 'Missing', isNumber: true, cell: (part) => numberText(part.missing_slots) },
        { name: 'In doubt', isNumber: true, cell: (part) => numberText(part.suspect_slots) },
        {
          name: 'Causes',
          cell: (part) =>
            causesOf([part])
              .map(({ cause }) => causeText(cause).name)
              .join(', ') || '–',
        },
      ]}
    />
  )
}

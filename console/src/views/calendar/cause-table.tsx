import type { ReactNode } from 'react'
import { numberText } from '../../words/formats.ts'
import { CAUSE_GROUPS, causeText } from '../../words/gap-causes.ts'
import { Table } from '../table.tsx'
import type { CauseSlots } from './coverage-cell.ts'

/** Gaps by cause, in groups: who or what was the reason. */
export function CauseTable({
  caption,
  causes,
}: {
  readonly caption: string
  readonly causes: readonly CauseSlots[]
}): ReactNode {
  const rows = causes.toSorted((one, other) => groupRank(one) - groupRank(other))
  return (
    <Table
      caption={caption}
      rows={rows}
      rowKey={({ cause }) => cause}
      columns={[
        { name: 'Group', cell: ({ cause }) => causeText(cause).group },
        { name: 'Cause', cell: ({ cause }) => <code>{cause}</code> },
        { name: 'Slots', isNumber: true, cell: ({ slots }) => numberText(slots) },
        { name: 'Meaning', cell: ({ cause }) => causeText(cause).sentence },
      ]}
    />
  )
}

function groupRank({ cause }: CauseSlots): number {
  return CAUSE_GROUPS.indexOf(causeText(cause).group)
}

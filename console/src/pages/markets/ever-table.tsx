import type { HistoryEntry } from '@bookreel/sdk'
import type { ReactNode } from 'react'
import { Instant } from '../../views/instant.tsx'
import { Table } from '../../views/table.tsx'
import { numberText } from '../../words/formats.ts'
import { Completeness } from './completeness.tsx'
import { MarketCell } from './market-cell.tsx'
import styles from './markets.module.css'

/** Recorded markets, the newest first. */
export function EverTable({ markets }: { readonly markets: readonly HistoryEntry[] }): ReactNode {
  return (
    <Table
      caption="Markets ever recorded"
      rows={markets}
      rowKey={({ market_id: id }) => id}
      columns={[
        { name: 'Market', cell: ({ market_id: id, ...market }) => <MarketCell id={id} {...market} /> },
        { name: 'Recorded', cell: (market) => <Recorded market={market} /> },
        { name: 'Snapshots', isNumber: true, cell: (market) => numberText(Number(market.snapshot_count)) },
        { name: 'Complete', isNumber: true, cell: ({ share }) => <Completeness share={share} /> },
      ]}
    />
  )
}

function Recorded({
  market: { first_seen: from, last_seen: to, is_live: isLive },
}: {
  market: HistoryEntry
}): ReactNode {
  return (
    <span>
      <Instant at={from} />
      <small className={styles.small}>
        to <Instant at={to} />
        {isLive && ', still recorded'}
      </small>
    </span>
  )
}

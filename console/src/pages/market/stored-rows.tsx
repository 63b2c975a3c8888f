import type { TokenSnapshot } from '@bookreel/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { accountClient } from '../../data/clients.ts'
import { pagePriceQuery, SHOWN_ROWS } from '../../data/market-data-queries.ts'
import { userTierQuery } from '../../data/queries.ts'
import controls from '../../views/controls.module.css'
import { Panel } from '../../views/page.tsx'
import { type Column, Table } from '../../views/table.tsx'
import { Problem, View } from '../../views/view.tsx'
import { countText, numberText } from '../../words/formats.ts'
import styles from './data-tab.module.css'

interface StoredRowsProps {
  readonly id: string
  readonly side: 'UP' | 'DOWN'
}

const NO_ROWS = 'No row of this market is stored yet.'

/** The newest rows, after a click that shows the price. */
export function StoredRows({ id, side }: StoredRowsProps): ReactNode {
  const price = useQuery(pagePriceQuery(id, side))
  return (
    <Panel title="Rows" note={<Link to="/">The sample is free</Link>}>
      <View of={price} empty={(credits) => (credits === null ? NO_ROWS : undefined)}>
        {(credits) => <BoughtRows key={`${id} ${side}`} id={id} side={side} credits={credits ?? 0} />}
      </View>
    </Panel>
  )
}

function BoughtRows({ id, side, credits }: StoredRowsProps & { readonly credits: number }): ReactNode {
  const client = useQueryClient()
  // A click after a lost answer gets the same rows and pays once.
  const requestId = useRef(crypto.randomUUID())
  const page = useMutation({
    mutationFn: () =>
      accountClient.snapshots.list(id, { limit: SHOWN_ROWS, side }, { idempotencyKey: requestId.current }),
    onSuccess: () => {
      requestId.current = crypto.randomUUID()
    },
    onSettled: () => client.invalidateQueries({ queryKey: userTierQuery.queryKey }),
  })
  return (
    <>
      <div className={controls.row}>
        <button type="button" className={controls.button} disabled={page.isPending} onClick={() => page.mutate()}>
          Show {SHOWN_ROWS} rows · {countText(credits, 'credit')}
        </button>
        {page.data !== undefined && <span className={controls.hint}>newest first, token {side}</span>}
      </div>
      {page.error !== null && <Problem error={page.error} />}
      {page.data !== undefined && (
        // Its keys scroll it, so it needs the focus.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        <section className={styles.rows} aria-label="Stored rows, can be scrolled" tabIndex={0}>
          <Table
            caption="Stored rows"
            columns={COLUMNS}
            rows={page.data.snapshots}
            rowKey={({ sequence_number: slot }) => String(slot)}
          />
        </section>
      )}
    </>
  )
}

const COLUMNS: readonly Column<TokenSnapshot>[] = [
  { name: 'capture_timestamp', cell: ({ capture_timestamp: at }) => <code>{at}</code> },
  { name: 'sequence_number', isNumber: true, cell: ({ sequence_number: slot }) => slot },
  { name: 'best_bid', isNumber: true, cell: ({ best_bid: bid }) => bid },
  { name: 'best_ask', isNumber: true, cell: ({ best_ask: ask }) => ask },
  { name: 'spread', isNumber: true, cell: ({ spread }) => spread },
  { name: 'depth5_bid', isNumber: true, cell: ({ depth5_bid: depth }) => numberText(depth) },
  { name: 'depth5_ask', isNumber: true, cell: ({ depth5_ask: depth }) => numberText(depth) },
  { name: 'flags', cell: ({ flags }) => flags.join(' ') },
]

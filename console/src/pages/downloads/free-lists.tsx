import type { ReactNode } from 'react'
import { CsvButton } from '../../views/list-actions.tsx'
import { Panel } from '../../views/page.tsx'
import styles from './downloads.module.css'
import { type DownloadsSearch, selectionOf, timeText } from './downloads-search.ts'

interface FreeListsProps {
  readonly search: DownloadsSearch
  readonly openedMs: number
}

/** Bars or trades of single markets. They cost no credits, so there is nothing to estimate. */
export function FreeLists({ search, openedMs }: FreeListsProps): ReactNode {
  const { product, side = 'UP', interval = '1m' } = search
  const { choice, fromMs, toMs } = selectionOf(search, openedMs)
  const range = { from: timeText(fromMs), to: timeText(toMs) }
  const listOf = (id: string) =>
    product === 'bars'
      ? {
          path: `/app/api/v1/markets/${encodeURIComponent(id)}/bars`,
          query: { ...range, side, interval, limit: '1000' },
        }
      : { path: '/app/api/v1/trades', query: { ...range, marketId: id, order: 'asc', limit: '500' } }
  return (
    <Panel title="3. How much" note="free of charge">
      {choice.by !== 'markets' || choice.ids.length === 0 ? (
        <p>Bars and trades are saved for single markets. Choose “Single markets”, and a market.</p>
      ) : (
        <ul className={styles.chosen} aria-label="Files to save">
          {choice.ids.map((id) => (
            <li key={id}>
              <code>{id}</code>
              <CsvButton {...listOf(id)} name={`${product}-${id.slice(0, 10)}`} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

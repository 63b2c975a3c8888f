import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { MarketDetail } from '../../data/market-queries.ts'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { plainText } from '../../words/formats.ts'
import styles from './live-tab.module.css'

/** A market that has ended has no live book; its history stays. */
export function ClosedMarket({ market }: { readonly market: MarketDetail }): ReactNode {
  return (
    <div className={styles.closed}>
      <p>
        This market ended <Instant at={market.end_date} />
        {market.resolved_outcome === undefined ? '. Its result is not known yet.' : <Winner market={market} />}
      </p>
      <Link to="." search={(before: object) => ({ ...before, tab: 'history' })} className={controls.primary}>
        Show its history
      </Link>
    </div>
  )
}

function Winner({
  market: { resolved_outcome: winner, outcome_names: names, outcomes },
}: {
  readonly market: MarketDetail
}): ReactNode {
  if (winner === 'SPLIT') return ', split between both outcomes.'
  return (
    <>
      , and <bdi>{plainText((names ?? outcomes)[winner === 'UP' ? 0 : 1])}</bdi> won.
    </>
  )
}

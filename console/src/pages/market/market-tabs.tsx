import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { capitalised } from '../../words/formats.ts'
import styles from './market-page.module.css'
import { MARKET_TABS, type MarketTab } from './market-search.ts'

/** Links, so that the tab is part of the address. */
export function MarketTabs({ chosen }: { readonly chosen: MarketTab }): ReactNode {
  return (
    <nav className={styles.tabs} aria-label="Views of the market">
      {MARKET_TABS.map((tab) => (
        <Link
          key={tab}
          to="."
          search={(before: object) => ({ ...before, tab })}
          activeProps={{}}
          aria-current={tab === chosen ? 'page' : undefined}
        >
          {capitalised(tab)}
        </Link>
      ))}
    </nav>
  )
}

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { addressName } from '../../data/market-address.ts'
import { capitalised, plainText } from '../../words/formats.ts'
import { rememberMarket } from './last-place.ts'
import styles from './markets.module.css'

interface MarketCellProps {
  readonly id: string
  readonly slug: string
  readonly venue: string
  readonly question: string
  readonly category: string
  readonly timeframe: string
}

/** The question is a link, which covers its whole row. */
export function MarketCell(props: MarketCellProps): ReactNode {
  const { id, slug, venue, question, category, timeframe } = props
  return (
    <span className={styles.market}>
      <Link
        to="/m/$market"
        params={{ market: addressName({ id, slug, venue }) }}
        className={styles.link}
        data-market={id}
        onClick={() => rememberMarket(id)}
      >
        <bdi>{plainText(question) || plainText(slug) || id}</bdi>
      </Link>
      <span className={styles.facts}>
        <bdi>{plainText(slug)}</bdi>
        <span>{[capitalised(venue), category, timeframe].filter((each) => each !== '').join(' · ')}</span>
      </span>
    </span>
  )
}

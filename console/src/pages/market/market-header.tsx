import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { MarketDetail, Series } from '../../data/market-queries.ts'
import { Badge } from '../../views/badge.tsx'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { useNow } from '../../views/use-now.ts'
import { plainText } from '../../words/formats.ts'
import { centsText, percentOfPrice, statusText, timeLeftText } from '../../words/market-texts.ts'
import { CLOSED } from '../../words/proof-badges.ts'
import type { MarketFacts } from './market-facts.ts'
import styles from './market-page.module.css'
import { MARKET_SIDES, type MarketSide } from './market-search.ts'
import { useRequestedFacts } from './use-requested-facts.ts'

interface HeaderProps {
  readonly market: MarketDetail
  readonly side: MarketSide
  /** Of the stream; without them the header requests them itself. */
  readonly facts: MarketFacts | undefined
  /** The series to go on with; undefined when the page follows it already, or there is none. */
  readonly series: Series | undefined
}

export function MarketHeader({ market, side, facts, series }: HeaderProps): ReactNode {
  const isOver = market.status === 'expired' || market.status === 'settling'
  const requested = useRequestedFacts(market, facts === undefined && !isOver)
  const { upMid, downMid, badge: present } = facts ?? requested
  const badge = isOver ? CLOSED : present
  return (
    <header className={styles.header}>
      <div className={styles.title}>
        <h1>
          <bdi>{plainText(market.question)}</bdi>
        </h1>
        <span className={styles.badge}>
          {badge !== undefined && (
            <span title={badge.meaning}>
              <Badge tone={badge.tone}>{badge.text}</Badge>
            </span>
          )}
        </span>
      </div>
      <div className={styles.facts}>
        <Sides market={market} side={side} mids={isOver ? {} : { up: upMid, down: downMid }} />
        <dl className={styles.list}>
          <Fact name="Status" value={statusText(market.status)} />
          <Ending market={market} />
          <Fact name="Interval" value={`${market.capture_interval_ms} ms`} />
          <Fact name="Venue" value={<bdi>{plainText(market.venue)}</bdi>} />
          {series !== undefined && <Fact name="Series" value={<SeriesLink series={series} />} />}
          {market.resolved_outcome !== undefined && <Fact name="Winner" value={winnerText(market)} />}
        </dl>
      </div>
    </header>
  )
}

function SeriesLink({ series }: { readonly series: Series }): ReactNode {
  return (
    <Link to="/m/$coin/$timeframe" params={{ ...series }}>
      {series.coin} {series.timeframe}, live
    </Link>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

interface SidesProps {
  readonly market: MarketDetail
  readonly side: MarketSide
  readonly mids: { readonly up?: number | undefined; readonly down?: number | undefined }
}

/** The tokens with their probability; links, so that the chosen one is part of the address. */
function Sides({ market, side, mids }: SidesProps): ReactNode {
  const names = market.outcome_names ?? market.outcomes
  return (
    <nav className={`${controls.segments} ${styles.sides}`} aria-label="Token">
      {MARKET_SIDES.map((each, index) => (
        <Link
          key={each}
          to="."
          search={(before: object) => ({ ...before, side: each })}
          replace
          activeProps={{}}
          aria-current={each === side ? 'true' : undefined}
        >
          <bdi>{plainText(names[index] ?? each)}</bdi>
          <b>{mids[each] === undefined ? '–' : percentOfPrice(mids[each])}</b>
          <span>{mids[each] === undefined ? '' : centsText(mids[each])}</span>
        </Link>
      ))}
    </nav>
  )
}

function Ending({ market }: { readonly market: MarketDetail }): ReactNode {
  const nowMs = useNow()
  const leftMs = Date.parse(market.end_date) - nowMs
  if (market.end_date === '' || Number.isNaN(leftMs)) return null
  if (leftMs <= 0) return <Fact name="Ended" value={<Instant at={market.end_date} />} />
  const isUpcoming = market.status === 'upcoming' && market.start_date !== undefined
  if (!isUpcoming) return <Fact name="Ends in" value={timeLeftText(leftMs)} />
  return <Fact name="Starts in" value={timeLeftText(Date.parse(market.start_date ?? '') - nowMs)} />
}

function winnerText({ resolved_outcome: winner, outcome_names: names, outcomes }: MarketDetail): ReactNode {
  if (winner === 'SPLIT') return 'split'
  return <bdi>{plainText((names ?? outcomes)[winner === 'UP' ? 0 : 1])}</bdi>
}

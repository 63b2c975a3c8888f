import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { publicStatsQuery, userTierQuery, useStatus } from '../../data/queries.ts'
import { sessionQuery, signInAddress, useSignedIn } from '../../data/session.ts'
import { viewedMarkets } from '../../data/viewed-markets.ts'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { Figures, Page, Panel } from '../../views/page.tsx'
import { StateBadge } from '../../views/state-badge.tsx'
import { View } from '../../views/view.tsx'
import { numberText, plainText, priceText } from '../../words/formats.ts'

import { OVERALL, serviceWords } from '../../words/status-texts.ts'
import { SamplePanel } from './sample-panel.tsx'
import styles from './start-page.module.css'

export function StartPage(): ReactNode {
  const { data: session, isPending, failureCount } = useQuery(sessionQuery)
  // What a signed-in person has must not move the sample after it was drawn.
  const isDecided = !isPending || failureCount > 0
  return (
    <Page
      title="Order books, recorded and proved"
      lead="Bookreel records the order books of prediction markets and perpetual futures, checks each book with the proof that its venue offers, and shows every gap with its cause."
      action={
        <div className={controls.row}>
          {session?.state === 'out' && (
            <a className={controls.primary} href={signInAddress('/app/m/BTC/5m')}>
              See it live
            </a>
          )}
          {session?.state === 'out' && (
            <a className={controls.button} href={signInAddress('/app/keys')}>
              Sign in and create a key
            </a>
          )}
          <a className={controls.button} href="/docs/">
            Read the API reference
          </a>
        </div>
      }
    >
      {isDecided && (
        <>
          {session?.state === 'in' && <Own />}
          <SamplePanel />
        </>
      )}
      <Counters />
      <Health />
      <Prices />
    </Page>
  )
}

function Own(): ReactNode {
  const tier = useQuery(userTierQuery)
  return (
    <Panel title="Your account">
      <View of={tier}>
        {({ tier: name, creditsRemaining }) => (
          <p>
            {numberText(creditsRemaining)} credits left on the {name} tier. <Link to="/keys">Keys</Link> ·{' '}
            <Link to="/usage">Usage</Link> · <Link to="/downloads">Downloads</Link> ·{' '}
            <Link to="/billing">Buy credits</Link>
          </p>
        )}
      </View>
      <Viewed />
    </Panel>
  )
}

function Viewed(): ReactNode {
  const markets = viewedMarkets(useSignedIn()?.accountId ?? '')
  if (markets.length === 0)
    return (
      <p className={controls.hint}>
        Markets that you open appear here.{' '}
        <Link to="/m/$coin/$timeframe" params={SERIES}>
          Open the current Bitcoin window
        </Link>
      </p>
    )
  return (
    <ul className={styles.viewed} aria-label="Markets that you viewed">
      {markets.map(({ id, question }) => (
        <li key={id}>
          <Link to="/m/$market" params={{ market: id }}>
            <bdi>{plainText(question)}</bdi>
          </Link>
        </li>
      ))}
    </ul>
  )
}

const SERIES = { coin: 'BTC', timeframe: '5m' }

function Counters(): ReactNode {
  const stats = useQuery(publicStatsQuery)
  return (
    <View of={stats}>
      {({ snapshot_count: count, active_markets: markets, exchange }) => (
        <Figures
          of={[
            { name: 'Snapshots stored', value: numberText(count) },
            { name: 'Markets live or upcoming', value: numberText(markets) },
            { name: 'Perpetual futures, snapshots in 5 minutes', value: numberText(exchange.snapshots_last_5min) },
          ]}
        />
      )}
    </View>
  )
}

/** One line; services are named when something is wrong with them. */
function Health(): ReactNode {
  const status = useStatus()
  return (
    <View of={status}>
      {({ status: overall, services, notices, checked_at: checkedAt }) => (
        <div className={styles.health}>
          <p role="status">
            <StateBadge of={overall} /> {OVERALL[overall].sentence}
          </p>
          {services
            .filter(({ status: state }) => state === 'degraded' || state === 'down')
            .map(({ service, status: state }) => (
              <span key={service}>
                {serviceWords(service).name} <StateBadge of={state} />
              </span>
            ))}
          {notices.map(({ code, venue, message }) => (
            <span key={`${code} ${venue}`}>{message}</span>
          ))}
          <span className={controls.hint}>
            checked <Instant at={checkedAt} />
          </span>
        </div>
      )}
    </View>
  )
}

function Prices(): ReactNode {
  const stats = useQuery(publicStatsQuery)
  return (
    <Panel title="Spot prices" note="of the recorded coins, in USD">
      <View
        of={stats}
        empty={({ prices }) =>
          Object.keys(prices).length === 0
            ? 'No coin has a recent price. Prices appear when a price venue is recorded.'
            : undefined
        }
      >
        {({ prices }) => (
          <ul className={styles.services}>
            {Object.entries(prices).map(([coin, price]) => (
              <li key={coin}>
                <span>{coin}</span>
                <span>{priceText(price)}</span>
              </li>
            ))}
          </ul>
        )}
      </View>
    </Panel>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { addressName } from '../../data/market-address.ts'
import { type MarketDetail, marketQuery, type Series, seriesOf, seriesSlug } from '../../data/market-queries.ts'
import { usePreferences } from '../../data/preferences.ts'
import { SignInGate } from '../../shell/sign-in-gate.tsx'
import { KeysHelp } from '../../views/keys-help.tsx'
import { Page } from '../../views/page.tsx'
import { Loading, View } from '../../views/view.tsx'
import { plainText } from '../../words/formats.ts'
import type { MarketFacts } from './market-facts.ts'
import { MarketHeader } from './market-header.tsx'
import { SIDE_KEYS } from './market-keys.ts'
import styles from './market-page.module.css'
import type { MarketSearch, MarketSide, MarketTab } from './market-search.ts'
import { MarketTabs } from './market-tabs.tsx'
import { TAB_PARTS } from './tab-parts.ts'
import { useSideKeys } from './use-side-keys.ts'
import { useViewed } from './use-viewed.ts'

const LiveTab = lazy(() => TAB_PARTS.live().then(({ LiveTab: each }) => ({ default: each })))
const HistoryTab = lazy(() => TAB_PARTS.history().then(({ HistoryTab: each }) => ({ default: each })))
const CoverageTab = lazy(() => TAB_PARTS.coverage().then(({ CoverageTab: each }) => ({ default: each })))
const DataTab = lazy(() => TAB_PARTS.data().then(({ DataTab: each }) => ({ default: each })))
const CodeTab = lazy(() => TAB_PARTS.code().then(({ CodeTab: each }) => ({ default: each })))

const PURPOSE = 'Sign in to see the live book, its heat map and its history.'

/** One market, by its slug or id. */
export function MarketPage(): ReactNode {
  const { market } = useParams({ from: '/m/$market' })
  const search = useSearch({ from: '/m/$market' })
  return (
    <SignInGate title="Market" purpose={PURPOSE}>
      <Market name={market} search={search} />
    </SignInGate>
  )
}

/** The current window of a series; the page goes on with the next window. */
export function SeriesPage(): ReactNode {
  const { coin, timeframe } = useParams({ from: '/m/$coin/$timeframe' })
  const search = useSearch({ from: '/m/$coin/$timeframe' })
  return (
    <SignInGate title={`${coin} ${timeframe}`} purpose={PURPOSE}>
      <Market name={seriesSlug(coin, timeframe)} search={search} series={{ coin: coin.toUpperCase(), timeframe }} />
    </SignInGate>
  )
}

interface MarketProps {
  readonly name: string
  readonly search: MarketSearch
  readonly series?: Series
}

function Market({ name, search, series }: MarketProps): ReactNode {
  const market = useQuery(marketQuery(name))
  if (market.data === undefined && market.errorUpdateCount > 0) {
    const title = series === undefined ? 'Market' : `${series.coin} ${series.timeframe}`
    return (
      <Page title={title}>
        <View of={market}>{() => null}</View>
      </Page>
    )
  }
  return (
    <div className={styles.page}>
      <View of={market}>
        {(data) =>
          series !== undefined && search.tab !== undefined && search.tab !== 'live' ? (
            <ToWindow market={data} search={search} />
          ) : (
            <MarketContent market={data} search={search} {...(series && { series })} />
          )
        }
      </View>
    </div>
  )
}

/** Only the live view follows a series. The others show one window, whose address stays the same when it is over. */
function ToWindow({ market, search }: Omit<ContentProps, 'series'>): ReactNode {
  const { market_id: id, slug, venue } = market
  return <Navigate to="/m/$market" params={{ market: addressName({ id, slug, venue }) }} search={search} replace />
}

interface ContentProps {
  readonly market: MarketDetail
  readonly search: MarketSearch
  readonly series?: Series
}

function MarketContent({ market, search, series }: ContentProps): ReactNode {
  const { tab = 'live', side = 'up' } = search
  const [facts, setFacts] = useState<MarketFacts>()
  const { hasShortcuts } = usePreferences()
  useSideKeys(hasShortcuts)
  useViewed(market)
  useEffect(() => {
    document.title = `${plainText(market.question)} · Bookreel`
  }, [market.question])
  return (
    <>
      <MarketHeader
        market={market}
        side={side}
        facts={tab === 'live' ? facts : undefined}
        series={series === undefined ? seriesOf(market) : undefined}
      />
      <MarketTabs chosen={tab} />
      <Suspense fallback={<Loading />}>
        {tab === 'live' ? (
          <LiveTab
            key={series === undefined ? market.market_id : `${series.coin} ${series.timeframe}`}
            market={market}
            side={side}
            onFacts={setFacts}
            {...(series && { series })}
          />
        ) : (
          <OtherTab tab={tab} market={market} side={side} />
        )}
      </Suspense>
    </>
  )
}

interface OtherTabProps {
  readonly tab: Exclude<MarketTab, 'live'>
  readonly market: MarketDetail
  readonly side: MarketSide
}

function OtherTab({ tab, market, side }: OtherTabProps): ReactNode {
  switch (tab) {
    case 'history':
      return <HistoryTab market={market} side={side} />
    case 'coverage':
      return <CoverageTab market={market} side={side} />
    case 'data':
      return (
        <>
          <DataTab market={market} side={side} />
          <KeysHelp keys={SIDE_KEYS} />
        </>
      )
    case 'code':
      return (
        <>
          <CodeTab market={market} side={side} />
          <KeysHelp keys={SIDE_KEYS} />
        </>
      )
  }
}

import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { USUAL_STEP } from '../../data/map-steps.ts'
import type { Series } from '../../data/market-queries.ts'
import { sessionQuery } from '../../data/session.ts'
import { HeatMap } from '../../views/heat-map/heat-map.tsx'
import { TileProblem } from '../../views/heat-map/tile-problem.tsx'
import { TradesNote } from '../../views/heat-map/trades-note.tsx'
import { KeysHelp } from '../../views/keys-help.tsx'
import { Ladder } from '../../views/ladder/ladder.tsx'
import { MapStrips } from '../../views/strips/map-strips.tsx'
import { Strips } from '../../views/strips/strips.tsx'
import { Tape } from '../../views/tape/tape.tsx'
import { Loading } from '../../views/view.tsx'
import { proofBadge } from '../../words/proof-badges.ts'
import { ClosedMarket } from './closed-market.tsx'
import { ExecutionBox, type TakenLevels } from './execution-box.tsx'
import { LadderOfLive } from './ladder-of-live.ts'
import { LiveNotices } from './live-notices.tsx'
import styles from './live-tab.module.css'
import { newLiveView } from './live-view.ts'
import type { MarketFacts } from './market-facts.ts'
import { MAP_KEYS } from './market-keys.ts'
import type { MarketSearch } from './market-search.ts'
import type { MarketTabProps } from './market-tab-props.ts'
import { PartSwitch, type ShownPart } from './part-switch.tsx'
import { SpanSwitch } from './span-switch.tsx'
import { StepSelect } from './step-select.tsx'
import { type LiveSession, useLiveMarket } from './use-live-market.ts'
import { useViewAddress } from './use-view-address.ts'

interface LiveTabProps extends MarketTabProps {
  /** The page follows the windows of this series. */
  readonly series?: Series
  readonly onFacts: (facts: MarketFacts | undefined) => void
}

const FACTS_MS = 1_000
/** Watching is use of the session, so that it does not end meanwhile. */
const SESSION_MS = 300_000

export function LiveTab({ market, side, series, onFacts }: LiveTabProps): ReactNode {
  const isOver = series === undefined && (market.status === 'expired' || market.status === 'settling')
  useEffect(() => () => onFacts(undefined), [onFacts])
  if (isOver) return <ClosedMarket market={market} />
  return <OpenMarket market={market} side={side} onFacts={onFacts} {...(series && { series })} />
}

function OpenMarket({ market, side, series, onFacts }: LiveTabProps): ReactNode {
  useQuery({ ...sessionQuery, refetchInterval: SESSION_MS })
  const { step = USUAL_STEP }: MarketSearch = useSearch({ strict: false })
  const session = useLiveMarket({ market, side, step, series })
  if (session === undefined) return <Loading />
  return <LiveView session={session} marketId={market.market_id} side={side} onFacts={onFacts} />
}

interface LiveViewProps extends Pick<LiveTabProps, 'side' | 'onFacts'> {
  readonly session: LiveSession
  readonly marketId: string
}

function LiveView({ session, marketId, side, onFacts }: LiveViewProps): ReactNode {
  const { live, want, retry } = session
  const [part, setPart] = useState<ShownPart>('ladder')
  const [taken, setTaken] = useState<TakenLevels>()
  const search: MarketSearch = useSearch({ strict: false })
  // Later changes of the address come from the view itself.
  const [first] = useState(search)
  const view = useMemo(() => newLiveView(live.map, first), [live, first])
  useViewAddress(view)
  const ladder = useMemo(() => new LadderOfLive(live), [live])
  useFacts(session, onFacts)
  return (
    <div className={styles.live} data-part={part}>
      <LiveNotices session={session} />
      <PartSwitch chosen={part} onChoose={setPart} />
      <section className={styles.map} aria-label="Heat map">
        <HeatMap data={live.map} view={view} onNeed={want}>
          <SpanSwitch view={view} />
          <StepSelect step={search.step ?? USUAL_STEP} />
          <KeysHelp keys={MAP_KEYS} />
        </HeatMap>
        <TileProblem data={live.map} onRetry={retry} />
        <TradesNote data={live.map} view={view} />
        <MapStrips data={live.map} view={view} />
        <Strips live={live} />
      </section>
      <section className={styles.ladder} aria-label="Ladder">
        <Ladder source={ladder} taken={taken} />
        <ExecutionBox marketId={marketId} side={side} onTaken={setTaken} />
      </section>
      <section className={styles.tape} aria-label="Trades">
        <Tape source={live} />
      </section>
    </div>
  )
}

function useFacts({ live }: LiveSession, onFacts: LiveTabProps['onFacts']): void {
  useEffect(() => {
    const tell = (): void => {
      const { book, gapCause } = live
      if (book === undefined && gapCause === undefined) return
      const { upMid, downMid, proof = 'none', flags = [] } = book ?? {}
      const badge = proofBadge({ proof, flags, ageMs: live.bookAgeMs(Date.now()), gapCause })
      onFacts({ upMid, downMid, badge })
    }
    // The first book is shown at once, the later ones once a second.
    const remove = live.onChange(() => {
      if (live.book === undefined && live.gapCause === undefined) return
      remove()
      tell()
    })
    const timer = setInterval(tell, FACTS_MS)
    return () => {
      remove()
      clearInterval(timer)
    }
  }, [live, onFacts])
}

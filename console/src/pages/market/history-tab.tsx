import type { GapReport } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { gapSpans, overviewBars, overviewQuery, recordedQuery } from '../../data/history/history-queries.ts'
import { USUAL_STEP } from '../../data/map-steps.ts'
import { chosenZone } from '../../data/preferences.ts'
import controls from '../../views/controls.module.css'
import { Loading, View } from '../../views/view.tsx'
import { countText, instantText, numberText } from '../../words/formats.ts'
import { recordedSpan } from './history/chosen-range.ts'
import { HistoryPlayer } from './history/history-player.tsx'
import { usePlayback } from './history/use-playback.ts'
import type { MarketSearch } from './market-search.ts'
import type { MarketTabProps } from './market-tab-props.ts'

/** Every past moment of a market. Looking is free; playing has a price. */
export function HistoryTab({ market, side }: MarketTabProps): ReactNode {
  const report = useQuery(recordedQuery(market.market_id))
  return (
    <View of={report} empty={whyNothing}>
      {(data) => <Recorded market={market} side={side} report={data} />}
    </View>
  )
}

function whyNothing(report: GapReport): string | undefined {
  if (recordedSpan(report) !== undefined) return undefined
  const { recorded_from: from, history_from: included } = report
  if (from === null) return 'Nothing of this market is recorded yet. Recording begins shortly before a window starts.'
  const since =
    included === undefined ? '' : ` Your tier includes everything since ${instantText(included, chosenZone())}.`
  return `This market was recorded longer ago than your tier includes.${since}`
}

/** The other token, or what was recorded since, is read while the player stays: it holds what was played and paid. */
function ofMarket(id: string) {
  return <T,>(former: T | undefined, query?: { readonly queryKey: readonly unknown[] }): T | undefined =>
    query?.queryKey[1] === id ? former : undefined
}

interface RecordedProps extends MarketTabProps {
  readonly report: GapReport
}

function Recorded({ market, side, report }: RecordedProps): ReactNode {
  const recorded = useMemo(() => recordedSpan(report) ?? { fromMs: 0, toMs: 1 }, [report])
  const token = side === 'up' ? 'UP' : 'DOWN'
  const placeholderData = ofMarket(market.market_id)
  const { step = USUAL_STEP }: MarketSearch = useSearch({ strict: false })
  const overview = useQuery({ ...overviewQuery(market.market_id, token, recorded), placeholderData })
  const [, barMs] = overviewBars(recorded)
  const playback = usePlayback(market.market_id, report.capture_interval_ms)
  const gaps = useMemo(() => gapSpans(report), [report])
  const boundaries = useMemo(
    () =>
      [
        { atMs: Date.parse(market.start_date ?? ''), text: 'start' },
        { atMs: Date.parse(market.end_date), text: 'end' },
      ].filter(({ atMs }) => atMs > recorded.fromMs && atMs < recorded.toMs),
    [market.start_date, market.end_date, recorded],
  )
  if (playback === undefined) return <Loading />
  return (
    <>
      {report.next_cursor !== null && (
        <p className={controls.hint} role="status">
          Only the first {countText(report.gaps.length, 'gap')} of {numberText(report.gap_count)} are shown here. Later
          moments may be in a gap without being marked; the tab Coverage has all gaps.
        </p>
      )}
      {/* The map does not wait for the overview above it. */}
      {overview.data === undefined && overview.errorUpdateCount > 0 && <View of={overview}>{() => null}</View>}
      <HistoryPlayer
        // The map of another price step has other rows. What was played stays with the playback.
        key={step}
        market={market.market_id}
        side={side}
        intervalMs={report.capture_interval_ms}
        recorded={recorded}
        step={step}
        bars={overview.data?.bars}
        barMs={overview.data?.barMs ?? barMs}
        gaps={gaps}
        boundaries={boundaries}
        playback={playback}
      />
    </>
  )
}

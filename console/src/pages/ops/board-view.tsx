import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Trend, TrendPoint } from '../../data/board-trends.ts'
import { boardQuery } from '../../data/operator-queries.ts'
import type { Board } from '../../data/operator-types.ts'
import { Badge } from '../../views/badge.tsx'
import { Instant } from '../../views/instant.tsx'
import { Figures, Panel } from '../../views/page.tsx'
import { Table } from '../../views/table.tsx'
import { View } from '../../views/view.tsx'
import { numberText } from '../../words/formats.ts'
import { ageText, bytesText, rateText } from '../../words/operator-texts.ts'
import { Machinery } from './machinery.tsx'
import styles from './ops.module.css'
import { Sparkline } from './sparkline.tsx'

const perSecond = (rate: number): string => `${rateText(rate)} /s`

/** Zero is a measured zero. */
function known(figure: number | null | undefined, text: (figure: number) => string): string {
  return figure === null || figure === undefined ? 'not known' : text(figure)
}

export function BoardView(): ReactNode {
  const board = useQuery(boardQuery)
  return (
    <View of={board}>
      {({ board: data, points }) => (
        <>
          {data.notices.map(({ code, venue, message }) => (
            <p key={`${code} ${venue}`} className={styles.notice}>
              {message}
            </p>
          ))}
          <Key board={data} points={points} />
          <div className={styles.columns}>
            <OpenGaps gaps={data.open_gaps} />
            <Errors errors={data.errors} />
          </div>
          <Plans plans={data.plans} />
          <Machinery board={data} />
        </>
      )}
    </View>
  )
}

interface KeyProps {
  readonly board: Board
  readonly points: readonly TrendPoint[]
}

/** The figures that change first when something is wrong. */
function Key({ board: { rates, lag, open_gaps: gaps, dead_letters: dead, as_of: at }, points }: KeyProps): ReactNode {
  const line = (trend: Trend): ReactNode => <Sparkline values={points.map((point) => point[trend])} />
  const gapMarkets = gaps?.reduce((sum, { markets }) => sum + markets, 0)
  return (
    <>
      <Figures
        of={[
          { name: 'Rows sampled', value: known(rates.sampled_rows, perSecond), note: line('sampled') },
          { name: 'Rows stored', value: known(rates.stored_rows, perSecond), note: line('stored') },
          {
            name: 'Age of the newest row',
            value: known(lag.newest_row_ms, ageText),
            note: line('newest'),
          },
          {
            name: 'Markets in a gap',
            value: known(gapMarkets, numberText),
            note: line('gaps'),
          },
        ]}
      />
      <Figures
        of={[
          { name: 'Messages not yet stored', value: known(lag.unstored_messages, numberText), note: line('unstored') },
          { name: 'Waiting for NATS', value: known(lag.queued_bytes, bytesText), note: line('queued') },
          {
            name: 'Dead letters',
            value: known(dead?.count, numberText),
            note: dead?.oldest_at ? (
              <>
                oldest <Instant at={dead.oldest_at} />
              </>
            ) : (
              'messages that could not be stored'
            ),
          },
          {
            name: 'Market updates waiting',
            value: known(lag.waiting_updates, numberText),
            note: 'not acknowledged by NATS',
          },
        ]}
      />
      <p className={styles.asOf}>
        As of <Instant at={at} />. Rows stored include trades, gaps and perpetual futures.
      </p>
    </>
  )
}

function OpenGaps({ gaps }: { readonly gaps: Board['open_gaps'] }): ReactNode {
  return (
    <Panel title="Open gaps by cause" note="markets without rows in the last 20 seconds">
      {gaps === null && <p>Not known: the store of gaps did not answer.</p>}
      {gaps?.length === 0 && <p>No gap is open.</p>}
      {gaps !== null && gaps.length > 0 && (
        <Table
          caption="Open gaps by cause"
          rows={gaps}
          rowKey={({ cause }) => cause}
          columns={[
            { name: 'Cause', cell: ({ cause }) => <code>{cause}</code> },
            { name: 'Markets', isNumber: true, cell: ({ markets }) => numberText(markets) },
            { name: 'Since', isNumber: true, cell: ({ since }) => <Instant at={since} /> },
          ]}
        />
      )}
    </Panel>
  )
}

function Errors({ errors: { since, counters } }: Pick<Board, 'errors'>): ReactNode {
  return (
    <Panel
      title="Errors that grew"
      note={
        since === null ? (
          'not observed yet'
        ) : (
          <>
            since <Instant at={since} />
          </>
        )
      }
    >
      {counters.length === 0 ? (
        <p>No error counter has grown.</p>
      ) : (
        <Table
          caption="Error counters that grew in the last ten minutes"
          rows={counters}
          rowKey={({ name, of }) => `${name} ${of}`}
          columns={[
            { name: 'Counter', cell: ({ name, of }) => <code>{of === 'all' ? name : `${name} · ${of}`}</code> },
            { name: 'Grown by', isNumber: true, cell: ({ grown_by: count }) => numberText(count) },
          ]}
        />
      )}
    </Panel>
  )
}

function Plans({ plans }: Pick<Board, 'plans'>): ReactNode {
  return (
    <Panel title="Recording by plan" note="expected: all live and upcoming markets of the plan at their intervals">
      {plans === null && <p>Not known: the store of the newest rows did not answer.</p>}
      {plans?.length === 0 && <p>No market is live or upcoming.</p>}
      {plans !== null && plans.length > 0 && (
        <Table
          caption="Recording by plan"
          rows={plans}
          rowKey={({ plan }) => plan}
          columns={[
            { name: 'Plan', cell: ({ plan }) => plan },
            {
              name: 'Markets recorded',
              isNumber: true,
              cell: ({ recorded_now: now, active_markets: all }) => `${numberText(now)} of ${numberText(all)}`,
            },
            { name: 'Rows per second', isNumber: true, cell: ({ rows_per_second: rate }) => rateText(rate) },
            { name: 'Expected', isNumber: true, cell: ({ expected_rows_per_second: rate }) => rateText(rate) },
            {
              name: 'State',
              cell: ({ recorded_now: now, active_markets: all }) =>
                now < all ? (
                  <Badge tone="warn">{numberText(all - now)} without rows</Badge>
                ) : (
                  <Badge tone="good">complete</Badge>
                ),
            },
          ]}
        />
      )}
    </Panel>
  )
}

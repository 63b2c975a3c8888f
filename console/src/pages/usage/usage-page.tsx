import type { Usage } from '@bookreel/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePreferences } from '../../data/preferences.ts'
import { usageQuery, userTierQuery } from '../../data/queries.ts'
import { SignInGate } from '../../shell/sign-in-gate.tsx'
import controls from '../../views/controls.module.css'
import { CsvButton } from '../../views/list-actions.tsx'
import { Figures, Page, Panel } from '../../views/page.tsx'
import { Segments } from '../../views/segments.tsx'
import { StackedBars } from '../../views/stacked-bars.tsx'
import { Table } from '../../views/table.tsx'
import { View } from '../../views/view.tsx'
import { errorText } from '../../words/error-sentences.ts'
import { dayText, numberText, plainText } from '../../words/formats.ts'
import { USAGE_DAYS, USAGE_FIGURES, USAGE_GROUPS, type UsageSearch } from './usage-search.ts'
import { creditsLastUntilMs, daysOf, groupId, groupNames, refusalsOf, seriesOf } from './usage-series.ts'

const NO_USAGE = 'No call was made in these days. Calls appear some seconds after they were answered.'
/** Beyond this, "at this pace" says nothing. */
const FORECAST_MS = 366 * 86_400_000

export function UsagePage(): ReactNode {
  return (
    <SignInGate title="Usage" purpose="Sign in to see calls, credits and refused calls of each key and endpoint.">
      <UsageOfAccount />
    </SignInGate>
  )
}

function UsageOfAccount(): ReactNode {
  const search = useSearch({ from: '/usage' })
  const { days = 30, by = 'key', of = 'calls' } = search
  const usage = useQuery(usageQuery(days, by))
  return (
    <Page
      title="Usage"
      lead={
        <>
          Days are in UTC. Credits match the ledger; calls appear after a few seconds.{' '}
          <Link to="/credits">Every charge is in the credit history</Link>.
        </>
      }
      action={<Choices search={search} />}
    >
      <Credits usage={usage.data} />
      <View of={usage} empty={({ usage: rows }) => (rows.length === 0 ? NO_USAGE : undefined)}>
        {(data) => (
          <>
            <Panel title={`${of === 'calls' ? 'Calls' : 'Credits'} per day, by ${by}`}>
              <StackedBars days={daysOf(data)} series={seriesOf(data, by, of)} what={of} />
            </Panel>
            <Panel title="Refused calls" note="of valid keys, by error code">
              {data.totalRefused === 0 ? <p>No call was refused in these days.</p> : <RefusedCalls usage={data} />}
            </Panel>
            <Panel
              title="The same figures as a table"
              note={
                <CsvButton
                  path="/app/api/v1/usage"
                  query={{ from: data.from, to: data.to, group_by: `day,${by}` }}
                  name="usage"
                />
              }
            >
              <Rows usage={data} by={by} />
            </Panel>
          </>
        )}
      </View>
    </Page>
  )
}

function Choices({ search }: { readonly search: UsageSearch }): ReactNode {
  const { days = 30, by = 'key', of = 'calls' } = search
  return (
    <div className={controls.row}>
      <Segments
        label="Figure"
        options={USAGE_FIGURES}
        chosen={of}
        text={String}
        searchFor={(each) => ({ ...search, of: each })}
      />
      <Segments
        label="Group"
        options={USAGE_GROUPS}
        chosen={by}
        text={(each) => `by ${each}`}
        searchFor={(each) => ({ ...search, by: each })}
      />
      <Segments
        label="Days"
        options={USAGE_DAYS}
        chosen={days}
        text={(each) => `${each} days`}
        searchFor={(each) => ({ ...search, days: each })}
      />
    </div>
  )
}

function Credits({ usage }: { readonly usage: Usage | undefined }): ReactNode {
  const tier = useQuery(userTierQuery)
  const { zone } = usePreferences()
  const nowMs = Date.now()
  return (
    <View of={tier}>
      {({ creditsRemaining, creditsTotal }) => {
        const untilMs = usage && creditsLastUntilMs(usage, creditsRemaining, nowMs)
        const isSoon = untilMs !== undefined && untilMs < nowMs + FORECAST_MS
        return (
          <Figures
            of={[
              {
                name: 'Credits left',
                value: numberText(creditsRemaining),
                ...(isSoon && { note: `≈ at this pace until ${dayText(untilMs, zone)}` }),
              },
              { name: 'Spent this month', value: numberText(creditsTotal - creditsRemaining) },
              { name: 'Calls in these days', value: usage === undefined ? '–' : numberText(usage.totalCalls) },
              { name: 'Credits in these days', value: usage === undefined ? '–' : numberText(usage.totalCredits) },
              { name: 'Refused in these days', value: usage === undefined ? '–' : numberText(usage.totalRefused) },
            ]}
          />
        )
      }}
    </View>
  )
}

function RefusedCalls({ usage }: { readonly usage: Usage }): ReactNode {
  return (
    <Table
      caption="Refused calls by error code"
      rows={refusalsOf(usage)}
      rowKey={({ code }) => code}
      columns={[
        { name: 'Code', cell: ({ code }) => <code>{code}</code> },
        { name: 'Calls', isNumber: true, cell: ({ count }) => numberText(count) },
        { name: 'Meaning', cell: ({ code }) => errorText(code, '').title },
      ]}
    />
  )
}

function Rows({ usage, by }: { readonly usage: Usage; readonly by: NonNullable<UsageSearch['by']> }): ReactNode {
  const names = groupNames(usage, by)
  const rows = usage.usage.toSorted((one, other) => (other.day ?? '').localeCompare(one.day ?? ''))
  return (
    <Table
      caption={`Usage by day and ${by}`}
      rows={rows}
      rowKey={(row) => `${row.day} ${row.keyId} ${row.endpoint}`}
      columns={[
        { name: 'Day', cell: ({ day }) => day },
        {
          name: by === 'key' ? 'Key' : 'Endpoint',
          cell: (row) => <bdi>{plainText(names.get(groupId(row, by)) ?? '')}</bdi>,
        },
        { name: 'Calls', isNumber: true, cell: ({ calls }) => numberText(calls) },
        { name: 'Credits', isNumber: true, cell: ({ credits }) => numberText(credits) },
        {
          name: 'Refused',
          isNumber: true,
          cell: ({ refused }) => numberText(Object.values(refused).reduce((total, count) => total + count, 0)),
        },
      ]}
    />
  )
}

import type { Status } from '@bookreel/sdk'
import type { ReactNode } from 'react'
import { usePreferences } from '../../data/preferences.ts'
import { useStatus } from '../../data/queries.ts'
import { Badge } from '../../views/badge.tsx'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { KeysHelp } from '../../views/keys-help.tsx'
import { RowsCsvButton } from '../../views/list-actions.tsx'
import { Page, Panel } from '../../views/page.tsx'
import { StateBadge } from '../../views/state-badge.tsx'
import { Table } from '../../views/table.tsx'
import { View } from '../../views/view.tsx'

import { percentText, type TimeZone } from '../../words/formats.ts'
import { incidentLength, OVERALL, serviceWords } from '../../words/status-texts.ts'

import styles from './status-page.module.css'
import { BAR_KEYS, UptimeBars } from './uptime-bars.tsx'

const TIMES: Readonly<Record<TimeZone, string>> = {
  utc: 'Times are in UTC; hold the pointer over one to see your local time.',
  local: 'Times are your local time; hold the pointer over one to see it in UTC. Days are in UTC.',
}
const FEED = '/v1/status.atom'
export function StatusPage(): ReactNode {
  const status = useStatus()
  const { zone } = usePreferences()
  return (
    <Page
      title="Service status"
      lead={`Each part is probed every ten seconds. ${TIMES[zone]}`}
      action={
        <a className={controls.button} href={FEED}>
          Incidents as Atom feed
        </a>
      }
    >
      <link rel="alternate" type="application/atom+xml" href={FEED} title="Bookreel: incidents" />
      <View of={status}>
        {(data) => (
          <>
            <Overall status={data} />
            <Services services={data.services} />
            <Incidents status={data} />
          </>
        )}
      </View>
    </Page>
  )
}

function Overall({
  status: { status, checked_at: at, notices, settlement_prices: prices },
}: {
  readonly status: Status
}): ReactNode {
  const { word, sentence } = OVERALL[status]
  return (
    <section className={styles.overall} data-state={status} aria-label="Now">
      <p role="status">
        <strong className={styles.word}>{word}</strong> {sentence}
      </p>
      <span className={controls.hint}>
        checked <Instant at={at} />
      </span>
      {prices === 'not_available' && (
        <p className={styles.wide}>
          The 60 s averages on which short windows settle are not being recorded now; books and trades do not depend on
          them.
        </p>
      )}
      {notices.map(({ code, venue, message }) => (
        <p key={`${code} ${venue}`} className={styles.wide}>
          {message}
        </p>
      ))}
    </section>
  )
}

function Services({ services }: Pick<Status, 'services'>): ReactNode {
  return (
    <Panel title="Last 90 days" note="a hollow part of a day was not measured">
      <ul className={styles.services}>
        {services.map(({ service, status, uptime, days }) => {
          const { name } = serviceWords(service)
          return (
            <li key={service} className={styles.service}>
              <span className={styles.name}>
                {name} <StateBadge of={status} />
              </span>
              <span className={styles.share}>{uptime === null ? 'no data' : `${percentText(uptime)} up`}</span>
              <UptimeBars name={name} days={days} />
            </li>
          )
        })}
      </ul>
      <p className={styles.ends}>
        <span>90 days ago</span>
        <span>today</span>
      </p>
      <KeysHelp keys={BAR_KEYS} />
    </Panel>
  )
}

function Incidents({ status: { incidents, checked_at: at } }: { readonly status: Status }): ReactNode {
  return (
    <Panel title="Incidents" note="at least three failed probes in a row, in the last 90 days">
      {incidents.length === 0 ? (
        <p>No incident was measured in these days.</p>
      ) : (
        <>
          <Table
            caption="Incidents"
            rows={incidents}
            rowKey={({ service, started_at: start }) => `${service} ${start}`}
            columns={[
              { name: 'Part', cell: ({ service }) => serviceWords(service).name },
              { name: 'Began', cell: ({ started_at: start }) => <Instant at={start} /> },
              {
                name: 'Ended',
                cell: ({ ended_at: end }) =>
                  end === null ? <Badge tone="bad">still open</Badge> : <Instant at={end} />,
              },
              {
                name: 'Lasted',
                cell: ({ started_at: start, ended_at: end }) => incidentLength(start, end, Date.parse(at)),
              },
              { name: 'What failed', cell: ({ service }) => serviceWords(service).failing },
            ]}
          />
          <p>
            <RowsCsvButton rows={incidents} name="incidents" />
          </p>
        </>
      )}
    </Panel>
  )
}

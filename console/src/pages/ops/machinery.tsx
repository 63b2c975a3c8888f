import type { ReactNode } from 'react'
import type { Board } from '../../data/operator-types.ts'
import { Instant } from '../../views/instant.tsx'
import { Panel } from '../../views/page.tsx'
import { Table } from '../../views/table.tsx'
import { numberText } from '../../words/formats.ts'
import { bytesText } from '../../words/operator-texts.ts'
import styles from './ops.module.css'

type Shards = Board['shards'][number]

/** Recorders, shards and processes. */
export function Machinery({ board: { recorders, shards, processes } }: { readonly board: Board }): ReactNode {
  return (
    <>
      <div className={styles.columns}>
        <Panel title="Recorders" note="each process with the role capture">
          {recorders.length === 0 ? (
            <p>
              <strong>No recorder reports.</strong> Nothing is being recorded, or its heartbeats do not arrive.
            </p>
          ) : (
            <Table
              caption="Recorders"
              rows={recorders}
              rowKey={({ process }) => process}
              columns={[
                { name: 'Process', cell: ({ process }) => <code>{process}</code> },
                { name: 'Shards', cell: ({ shards: own }) => own.map(shardText).join(', ') || 'none' },
                {
                  name: 'Books proved',
                  isNumber: true,
                  cell: ({ markets_proved: proved, markets_followed: all }) =>
                    `${numberText(proved)} of ${numberText(all)}`,
                },
                { name: 'Queued', isNumber: true, cell: ({ queued_bytes: bytes }) => bytesText(bytes) },
              ]}
            />
          )}
        </Panel>
        <Panel title="Shards" note="leases that recorders hold">
          {shards.length === 0 ? (
            <p>No recorder holds a shard.</p>
          ) : (
            <Table
              caption="Shards by venue"
              rows={shards}
              rowKey={({ venue }) => venue}
              columns={[
                { name: 'Venue', cell: ({ venue }) => venue },
                { name: 'Held', isNumber: true, cell: ({ held }) => numberText(held) },
                { name: 'Standby', isNumber: true, cell: ({ standby }) => numberText(standby) },
              ]}
            />
          )}
        </Panel>
      </div>
      <Panel title="Processes" note="those that reported in the last 15 seconds">
        {processes.length === 0 ? (
          <p>
            <strong>No process reports.</strong> NATS does not answer, or nothing runs.
          </p>
        ) : (
          <Table
            caption="Processes"
            rows={processes}
            rowKey={({ process }) => process}
            columns={[
              { name: 'Roles', cell: ({ roles }) => roles.join(', ') },
              { name: 'Process', cell: ({ process }) => <code>{process}</code> },
              { name: 'Started', isNumber: true, cell: ({ started_at: at }) => <Instant at={at} /> },
            ]}
          />
        )}
      </Panel>
    </>
  )
}

function shardText({ venue, held, standby }: Shards): string {
  return standby === 0 ? `${venue} ${held}` : `${venue} ${held} + ${standby} standby`
}

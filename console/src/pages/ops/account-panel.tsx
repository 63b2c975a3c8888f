import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { operatedAccountQuery, signOutAccount } from '../../data/operator-queries.ts'
import type { OperatedAccount } from '../../data/operator-types.ts'
import { useNotify } from '../../shell/notices.tsx'
import { Badge } from '../../views/badge.tsx'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { Figures, Panel } from '../../views/page.tsx'
import { Table } from '../../views/table.tsx'
import { View } from '../../views/view.tsx'
import { eventDetail, eventText } from '../../words/event-texts.ts'
import { capitalised, numberText, plainText } from '../../words/formats.ts'
import styles from './ops.module.css'
import { ReasonDialog } from './reason-dialog.tsx'

export function AccountPanel({ id }: { readonly id: string }): ReactNode {
  const account = useQuery(operatedAccountQuery(id))
  return <View of={account}>{(data) => <Shown account={data} />}</View>
}

function Shown({ account }: { readonly account: OperatedAccount }): ReactNode {
  const [isSigningOut, setSigningOut] = useState(false)
  const { id, name, emails, tier, balance, tier_ends_at: end, created_at: at } = account
  return (
    <>
      <div className={styles.accountHead}>
        <h2>
          <bdi>{plainText(name)}</bdi>
        </h2>
        <code>{id}</code>
        <button type="button" className={controls.danger} onClick={() => setSigningOut(true)}>
          Sign out on all devices
        </button>
      </div>
      <Figures
        of={[
          {
            name: 'E-mail',
            value: <span className={styles.small}>{plainText(emails.join(', ')) || 'nobody signs in'}</span>,
          },
          {
            name: 'Tier',
            value: capitalised(tier),
            note:
              end === null ? (
                'no end'
              ) : (
                <>
                  until <Instant at={end} />
                </>
              ),
          },
          { name: 'Credits', value: numberText(balance), note: 'without monthly ones that are due' },
          {
            name: 'Created',
            value: (
              <span className={styles.small}>
                <Instant at={at} dayOnly />
              </span>
            ),
          },
        ]}
      />
      <Keys keys={account.keys} />
      <Events events={account.events} />
      {isSigningOut && <SignOutDialog account={account} onClose={() => setSigningOut(false)} />}
    </>
  )
}

function Keys({ keys }: Pick<OperatedAccount, 'keys'>): ReactNode {
  return (
    <Panel title="Keys" note="previews only; the keys themselves are not stored">
      {keys.length === 0 ? (
        <p>The account never had an API key.</p>
      ) : (
        <Table
          caption="Keys of the account"
          rows={keys.map((key, place) => ({ ...key, place }))}
          rowKey={({ place }) => String(place)}
          columns={[
            { name: 'Label', cell: ({ label }) => <bdi>{plainText(label)}</bdi> },
            { name: 'Preview', cell: ({ preview }) => <code>{preview}</code> },
            { name: 'Created', cell: ({ created_at: at }) => <Instant at={at} /> },
            { name: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Instant at={at} />) },
            {
              name: 'State',
              cell: ({ revoked_at: at }) =>
                at === null ? (
                  'not revoked'
                ) : (
                  <>
                    <Badge tone="quiet">revoked</Badge> <Instant at={at} />
                  </>
                ),
            },
          ]}
        />
      )}
    </Panel>
  )
}

function Events({ events }: Pick<OperatedAccount, 'events'>): ReactNode {
  return (
    <Panel title="Events" note="the newest 50">
      <Table
        caption="Events of the account"
        rows={events.map((event, place) => ({ ...event, place }))}
        rowKey={({ place }) => String(place)}
        columns={[
          { name: 'Time', cell: ({ at }) => <Instant at={at} /> },
          { name: 'Event', cell: ({ kind }) => eventText(kind) },
          { name: 'Detail', cell: ({ detail }) => <bdi>{plainText(eventDetail(detail))}</bdi> },
        ]}
      />
    </Panel>
  )
}

interface SignOutDialogProps {
  readonly account: OperatedAccount
  readonly onClose: () => void
}

function SignOutDialog({ account: { id, name }, onClose }: SignOutDialogProps): ReactNode {
  const client = useQueryClient()
  const notify = useNotify()
  return (
    <ReasonDialog
      title="Sign out on all devices"
      submit="Sign out"
      isDangerous
      change={(reason) => signOutAccount(id, reason)}
      onDone={({ sessions_ended: count }) => {
        void client.invalidateQueries({ queryKey: operatedAccountQuery(id).queryKey })
        notify(count === 1 ? '1 session has ended.' : `${numberText(count)} sessions have ended.`)
        onClose()
      }}
      onClose={onClose}
    >
      <p>
        All browsers of <bdi>{plainText(name)}</bdi> are signed out at once, and their streams end. API keys go on
        working.
      </p>
    </ReasonDialog>
  )
}

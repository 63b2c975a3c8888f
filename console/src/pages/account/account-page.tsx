import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Subscription } from '../../data/account-types.ts'
import { EVENTS_PATH, eventsQuery } from '../../data/list-queries.ts'
import { changePreferences, type Preferences, usePreferences } from '../../data/preferences.ts'
import { subscriptionQuery } from '../../data/queries.ts'
import { forgetSession, useSignedIn } from '../../data/session.ts'
import { sessionRequest } from '../../data/session-request.ts'
import { forgetViewed } from '../../data/viewed-markets.ts'
import { SignInGate } from '../../shell/sign-in-gate.tsx'
import controls from '../../views/controls.module.css'
import { Instant } from '../../views/instant.tsx'
import { CsvButton, ShowMore } from '../../views/list-actions.tsx'
import { Figures, Page, Panel } from '../../views/page.tsx'
import { Table } from '../../views/table.tsx'
import { Problem, View } from '../../views/view.tsx'
import { eventDetail, eventText } from '../../words/event-texts.ts'
import { capitalised, numberText, plainText } from '../../words/formats.ts'
import { Budget } from './budget.tsx'

export function AccountPage(): ReactNode {
  return (
    <SignInGate
      title="Account"
      purpose="Sign in to see your tier, credits and limits, and what happened to your account."
    >
      <Account />
    </SignInGate>
  )
}

function Account(): ReactNode {
  const signedIn = useSignedIn()
  return (
    <Page
      title="Account"
      lead={
        <>
          Signed in as <bdi>{plainText(signedIn?.who ?? '')}</bdi>
        </>
      }
    >
      <Plan />
      <Budget />
      <Settings />
      <SignOut />
      <Events />
    </Page>
  )
}

function Plan(): ReactNode {
  const subscription = useQuery(subscriptionQuery)
  return (
    <View of={subscription}>
      {({ tier, provider, creditsRemaining, expiresAt, limits, waiting }) => (
        <>
          <Figures
            of={[
              { name: 'Tier', value: capitalised(tier), note: PROVIDER_TEXTS[provider] ?? 'bought' },
              { name: 'Credits left', value: numberText(creditsRemaining), note: 'they do not expire' },
              {
                name: END_TEXTS[provider] ?? 'Tier ends',
                value: <Instant at={expiresAt} dayOnly />,
              },
              { name: 'Requests per minute', value: numberText(limits.rpm), note: 'all keys together' },
              {
                name: 'History',
                value: limits.historyHours === 0 ? 'All' : `${limits.historyHours} hours`,
              },
              { name: 'Streams at once', value: limits.wsMax === 0 ? 'None' : numberText(limits.wsMax) },
              { name: 'Keys', value: numberText(limits.maxKeys) },
              { name: 'Tools for agents', value: limits.mcp === 'full' ? 'All' : 'All but history' },
            ]}
          />
          <Waiting of={waiting} />
          <p className={controls.hint}>
            <Link to="/billing">Buy a tier or credits</Link> · <Link to="/pricing">Compare tiers</Link> ·{' '}
            <Link to="/credits">See what credits were spent on</Link>
          </p>
        </>
      )}
    </View>
  )
}

/** Paid months that follow the tier; each begins by itself. */
function Waiting({ of }: { readonly of: Subscription['waiting'] }): ReactNode {
  if (of.length === 0) return null
  return (
    <ul aria-label="Paid tiers that follow">
      {of.map(({ tier, from, until }) => (
        <li key={tier}>
          {from === null || until === null ? (
            `Then: ${capitalised(tier)}. It waits until your present tier ends, and no paid day is lost.`
          ) : (
            <>
              Then: {capitalised(tier)}, from <Instant at={from} dayOnly /> to <Instant at={until} dayOnly />
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

const PROVIDER_TEXTS: Readonly<Record<string, string>> = {
  none: 'no plan',
  operator: 'set by the operator',
}

/** The service has one time for both; a tier of the operator may have an end or none. */
const END_TEXTS: Readonly<Record<string, string>> = {
  none: 'Next monthly credits',
  operator: 'Tier ends, or next monthly credits',
}

function Settings(): ReactNode {
  const { theme, zone, hasShortcuts } = usePreferences()
  return (
    <Panel title="This browser" note="stored on this computer only">
      <div className={controls.row}>
        <Choice
          label="Theme"
          value={theme}
          options={{ system: 'as the system', dark: 'dark', light: 'light' }}
          onChange={(value) => changePreferences({ theme: value })}
        />
        <Choice
          label="Times"
          value={zone}
          options={{ utc: 'UTC', local: 'local time' } satisfies Record<Preferences['zone'], string>}
          onChange={(value) => changePreferences({ zone: value })}
        />
        <Choice
          label="Single-letter keys, such as / and ?"
          value={hasShortcuts ? 'on' : 'off'}
          options={{ on: 'on', off: 'off' }}
          onChange={(value) => changePreferences({ hasShortcuts: value === 'on' })}
        />
      </div>
    </Panel>
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: Readonly<Record<Value, string>>
  readonly onChange: (value: Value) => void
}

function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>): ReactNode {
  return (
    <label className={controls.field}>
      <span className={controls.hint}>{label}</span>
      <select className={controls.input} value={value} onChange={(event) => onChange(event.target.value as Value)}>
        {Object.entries<string>(options).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

function SignOut(): ReactNode {
  const client = useQueryClient()
  const signOut = useMutation({
    mutationFn: (everywhere: boolean) => sessionRequest<{ goTo: string }>('/auth/logout', 'POST', { everywhere }),
    onSuccess: ({ goTo }) => {
      forgetSession(client)
      forgetViewed()
      location.assign(goTo)
    },
  })
  return (
    <Panel title="Sign out" note="API keys go on working">
      <div className={controls.row}>
        <button
          type="button"
          className={controls.button}
          disabled={signOut.isPending}
          onClick={() => signOut.mutate(false)}
        >
          Sign out
        </button>
        <button
          type="button"
          className={controls.button}
          disabled={signOut.isPending}
          onClick={() => signOut.mutate(true)}
        >
          Sign out on all devices
        </button>
      </div>
      {signOut.error !== null && <Problem error={signOut.error} />}
    </Panel>
  )
}

function Events(): ReactNode {
  const events = useInfiniteQuery(eventsQuery)
  return (
    <Panel
      title="Account events"
      note={
        <>
          newest first; events are never changed or deleted{' '}
          <CsvButton path={EVENTS_PATH} query={{ limit: '500' }} name="account-events" />
        </>
      }
    >
      <View of={events} empty={(list) => (list.length === 0 ? 'Nothing has happened yet.' : undefined)}>
        {(list) => (
          <>
            <Table
              caption="Account events"
              rows={list.map((event, index) => ({ ...event, index }))}
              rowKey={({ at, index }) => `${at} ${index}`}
              columns={[
                { name: 'Time', cell: ({ at }) => <Instant at={at} /> },
                { name: 'Event', cell: ({ kind }) => eventText(kind) },
                { name: 'Detail', cell: ({ detail }) => <bdi>{plainText(eventDetail(detail))}</bdi> },
              ]}
            />
            <ShowMore of={events} what="events" />
          </>
        )}
      </View>
    </Panel>
  )
}

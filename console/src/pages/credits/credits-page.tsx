import type { CreditEntry } from '@bookreel/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CREDITS_PATH, creditsQuery } from '../../data/list-queries.ts'
import { SignInGate } from '../../shell/sign-in-gate.tsx'
import { Instant } from '../../views/instant.tsx'
import { CsvButton, ShowMore } from '../../views/list-actions.tsx'
import { Figures, Page, Panel } from '../../views/page.tsx'
import { type Column, Table } from '../../views/table.tsx'
import { View } from '../../views/view.tsx'
import { numberText, plainText } from '../../words/formats.ts'
import { creditText } from './credit-texts.ts'

export function CreditsPage(): ReactNode {
  return (
    <SignInGate title="Credits" purpose="Sign in to see what credits came in, and what they were spent on.">
      <CreditHistory />
    </SignInGate>
  )
}

const EMPTY = 'No credits came in or were spent yet.'

function CreditHistory(): ReactNode {
  const credits = useInfiniteQuery(creditsQuery)
  return (
    <Page
      title="Credits"
      lead="Every credit that came in or was spent, by all keys. Free retries and free downloads have no entry."
      action={<Link to="/usage">Usage by day</Link>}
    >
      <View of={credits}>
        {({ balance, entries }) => (
          <>
            <Figures of={[{ name: 'Credits left', value: numberText(balance), note: 'they do not expire' }]} />
            <Panel title="History" note={<CsvButton path={CREDITS_PATH} query={{ limit: '500' }} name="credits" />}>
              {entries.length === 0 ? (
                <p>{EMPTY}</p>
              ) : (
                <Table caption="Credit history" columns={COLUMNS} rows={entries} rowKey={({ id }) => String(id)} />
              )}
              <ShowMore of={credits} what="entries" />
            </Panel>
          </>
        )}
      </View>
    </Page>
  )
}

const COLUMNS: readonly Column<CreditEntry>[] = [
  { name: 'Time', cell: ({ at }) => <Instant at={at} /> },
  { name: 'What', cell: (entry) => creditText(entry) },
  { name: 'Key', cell: ({ keyLabel }) => <bdi>{plainText(keyLabel ?? '')}</bdi> },
  {
    name: 'Free again until',
    cell: ({ downloadUntil }) => (downloadUntil === null ? '' : <Instant at={downloadUntil} />),
  },
  { name: 'Credits', isNumber: true, cell: ({ credits }) => signedText(credits) },
  { name: 'Left after it', isNumber: true, cell: ({ balanceAfter }) => numberText(balanceAfter) },
]

function signedText(credits: number): string {
  return credits > 0 ? `+${numberText(credits)}` : numberText(credits).replace('-', '−')
}

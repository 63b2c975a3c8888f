import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSignedIn } from '../../data/session.ts'
import { NotFound } from '../../shell/not-found.tsx'
import { SignInGate } from '../../shell/sign-in-gate.tsx'
import controls from '../../views/controls.module.css'
import { Page } from '../../views/page.tsx'
import { capitalised } from '../../words/formats.ts'
import { AccountsView } from './accounts-view.tsx'
import { BoardView } from './board-view.tsx'
import { OPS_VIEWS, type OpsSearch, type OpsView } from './ops-search.ts'
import { ReviewsView } from './reviews-view.tsx'

const VIEWS: Readonly<Record<OpsView, { readonly lead: string; readonly content: () => ReactNode }>> = {
  board: {
    lead: 'Everything that reports, asked twice a minute. Small lines begin when this page was opened.',
    content: BoardView,
  },
  reviews: {
    lead: 'Payments that no rule could decide, oldest first. Resolving one adds no credits.',
    content: ReviewsView,
  },
  accounts: { lead: 'Search by name, e-mail address, account id or the preview of a key.', content: AccountsView },
}

export function OpsPage(): ReactNode {
  return (
    <SignInGate title="Operations" purpose="Sign in as an operator of this service.">
      <ForOperators />
    </SignInGate>
  )
}

function ForOperators(): ReactNode {
  const { view = 'board' }: OpsSearch = useSearch({ from: '/ops' })
  const signedIn = useSignedIn()
  if (signedIn?.isOperator !== true) return <NotFound />
  const { lead, content: Content } = VIEWS[view]
  return (
    <Page title="Operations" lead={lead} action={<Views chosen={view} />}>
      <Content />
    </Page>
  )
}

function Views({ chosen }: { readonly chosen: OpsView }): ReactNode {
  return (
    <nav className={controls.segments} aria-label="Views">
      {OPS_VIEWS.map((view) => (
        <Link
          key={view}
          to="/ops"
          search={{ view }}
          activeProps={{}}
          aria-current={view === chosen ? 'true' : undefined}
        >
          {capitalised(view)}
        </Link>
      ))}
    </nav>
  )
}

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sessionQuery, signInAddress } from '../data/session.ts'
import controls from '../views/controls.module.css'
import { Page } from '../views/page.tsx'
import { Loading, Problem } from '../views/view.tsx'
import { errorText } from '../words/error-sentences.ts'
import { useReturnTo } from './use-return-to.ts'

interface SignInGateProps {
  readonly title: string
  /** What the page is for, shown to people who are not signed in. */
  readonly purpose: string
  readonly children: ReactNode
}

/** The page, for signed-in users; for others, the way to sign in and return. */
export function SignInGate({ title, purpose, children }: SignInGateProps): ReactNode {
  const { data: session, error, refetch } = useQuery(sessionQuery)
  const returnTo = useReturnTo()
  if (session?.state === 'in' || session?.state === 'ended') return children
  if (session === undefined) {
    return (
      <Page title={title}>
        {error === null ? <Loading /> : <Problem error={error} onRetry={() => void refetch()} />}
      </Page>
    )
  }
  if (session.state === 'off') {
    const { title: what, next } = errorText('sign_in_not_configured', '')
    return <Page title={title} lead={`${what} ${next}`} />
  }
  return (
    <Page title={title} lead={purpose}>
      <p>
        <a className={controls.primary} href={signInAddress(returnTo)}>
          Sign in to continue
        </a>
      </p>
    </Page>
  )
}

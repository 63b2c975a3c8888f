import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { lastActivityMs } from '../data/activity.ts'
import { type SignedIn, sessionQuery, signInAddress, useSignedIn } from '../data/session.ts'
import controls from '../views/controls.module.css'
import { expiryOf } from './session-expiry.ts'
import styles from './session-notice.module.css'
import { useReturnTo } from './use-return-to.ts'

const CHECK_MS = 5_000

/** Says that the session is over, or will soon be. */
export function SessionNotice(): ReactNode {
  const signedIn = useSignedIn()
  if (signedIn === undefined) return null
  return signedIn.state === 'ended' ? <Ended /> : <Ending session={signedIn} />
}

function Ended(): ReactNode {
  const returnTo = useReturnTo()
  return (
    <div className={styles.notice} role="alert">
      <span>
        <strong>Your session has ended.</strong> The page shows what was loaded before.
      </span>
      <a className={controls.primary} href={signInAddress(returnTo)}>
        Sign in and return here
      </a>
    </div>
  )
}

function Ending({ session }: { readonly session: SignedIn }): ReactNode {
  const { refetch } = useQuery({ ...sessionQuery, enabled: false })
  const [nowMs, setNowMs] = useState(Date.now)
  const returnTo = useReturnTo()
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), CHECK_MS)
    return () => clearInterval(timer)
  }, [])
  const expiry = expiryOf(session, lastActivityMs(), nowMs)
  const isOver = expiry !== undefined && expiry.leftMs <= 0
  // The service knows whether it is really over; the page then says so.
  useEffect(() => {
    if (isOver) void refetch()
  }, [isOver, refetch])
  if (expiry === undefined) return null
  const minutes = expiry.leftMs <= 60_000 ? 'less than a minute' : 'less than two minutes'
  const stay = async (): Promise<void> => {
    await refetch()
    setNowMs(Date.now())
  }
  return (
    <div className={styles.notice} role="alert">
      <span>Your session ends in {minutes}.</span>
      {expiry.canStay ? (
        <button type="button" className={controls.primary} onClick={() => void stay()}>
          Stay
        </button>
      ) : (
        <a className={controls.primary} href={signInAddress(returnTo)}>
          Sign in again
        </a>
      )}
    </div>
  )
}

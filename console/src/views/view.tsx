import { BookreelError } from '@bookreel/sdk'
import { type ReactNode, useState } from 'react'
import { usePreferences } from '../data/preferences.ts'
import { signInAddress } from '../data/session.ts'
import { useReturnTo } from '../shell/use-return-to.ts'
import { errorText } from '../words/error-sentences.ts'
import { clockText } from '../words/formats.ts'
import controls from './controls.module.css'
import styles from './view.module.css'

/** What a view needs of a query, with or without pages. */
interface Fetched<T> {
  readonly data: T | undefined
  readonly error: Error | null
  readonly dataUpdatedAt: number
  readonly errorUpdateCount: number
  readonly isFetching: boolean
  readonly refetch: () => Promise<unknown>
}

interface ViewProps<T> {
  readonly of: Fetched<T>
  /** The reason why there is nothing to show, when there is nothing. */
  readonly empty?: (data: T) => ReactNode | undefined
  readonly children: (data: T) => ReactNode
}

/** One of the five states of everything that is fetched: loading, ready, empty, refused, stale. */
export function View<T>({ of: query, empty, children }: ViewProps<T>): ReactNode {
  const { data, error, errorUpdateCount, isFetching } = query
  const [lastError, setLastError] = useState(error)
  if (error !== null && error !== lastError) setLastError(error)
  if (data === undefined) {
    // While it tries again, a query without data has no error; the page goes on saying what is wrong.
    const shown = error ?? (errorUpdateCount > 0 ? lastError : null)
    if (shown === null) return <Loading isFirst={errorUpdateCount === 0} />
    return <Problem error={shown} isTrying={isFetching} onRetry={() => void query.refetch()} />
  }
  const nothing = empty?.(data)
  const content = nothing === undefined ? children(data) : <p className={styles.empty}>{nothing}</p>
  // One shape for both: another one would close streams and downloads of the content.
  return (
    <div className={error === null ? styles.fresh : styles.stale}>
      {error !== null && <Age atMs={query.dataUpdatedAt} error={error} />}
      <div className={error === null ? styles.fresh : styles.old}>{content}</div>
    </div>
  )
}

/** What follows on the page waits for the first attempt only. */
export function Loading({ isFirst = true }: { readonly isFirst?: boolean }): ReactNode {
  return (
    <p className={styles.loading} role="status" {...(isFirst && { 'data-loading': '' })}>
      Loading …
    </p>
  )
}

function Age({ atMs, error }: { readonly atMs: number; readonly error: Error }): ReactNode {
  const { zone } = usePreferences()
  const { title } = textOf(error)
  return (
    <p className={styles.age} role="status">
      As of {clockText(atMs, zone)}. {title} The page tries again.
    </p>
  )
}

interface ProblemProps {
  readonly error: Error
  readonly isTrying?: boolean
  readonly onRetry?: () => void
}

/** What failed, what to do, and the id that support asks for. */
export function Problem({ error, isTrying = false, onRetry }: ProblemProps): ReactNode {
  const { title, next } = textOf(error)
  const returnTo = useReturnTo()
  const { requestId, code } = error instanceof BookreelError ? error : {}
  return (
    <div className={styles.problem} role="alert">
      <strong>{title}</strong>
      <span>{next}</span>
      {requestId !== undefined && <span className={styles.id}>Request id: {requestId}</span>}
      {/* An open dialog covers the notice of the page, so the way back is here too. */}
      {code === 'unauthenticated' && (
        <a className={`${controls.button} ${styles.again}`} href={signInAddress(returnTo)}>
          Sign in and return here
        </a>
      )}
      {onRetry !== undefined && (
        <button type="button" className={`${controls.button} ${styles.again}`} onClick={onRetry}>
          {isTrying ? 'Trying again …' : 'Try again'}
        </button>
      )}
    </div>
  )
}

function textOf(error: Error): { title: string; next: string } {
  return error instanceof BookreelError
    ? errorText(error.code, error.message)
    : { title: 'The page failed.', next: `Reload it. ${error.message}` }
}

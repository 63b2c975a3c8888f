import type { Estimate } from '@bookreel/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { PlaybackView } from '../../../data/history/playback.ts'
import type { ReplayFailure } from '../../../data/history/replay-messages.ts'
import type { GapSpan } from '../../../data/history/steps.ts'
import { usePreferences } from '../../../data/preferences.ts'
import controls from '../../../views/controls.module.css'
import { errorText } from '../../../words/error-sentences.ts'
import { numberText } from '../../../words/formats.ts'
import { lengthText, momentText } from '../../../words/moment-texts.ts'
import { causeName } from '../../../words/proof-badges.ts'
import styles from './history.module.css'

interface HistoryStatusProps {
  readonly view: PlaybackView
  readonly gap: GapSpan | undefined
  readonly estimate: Estimate | undefined
  readonly isCopied: boolean
  readonly onSkip: (atMs: number) => void
}

/** What happens at the playhead, in one line that is always there. */
export function HistoryStatus({ view, gap, estimate, isCopied, onSkip }: HistoryStatusProps): ReactNode {
  return (
    <div className={styles.status}>
      <p role="status">
        <StatusText view={view} gap={gap} estimate={estimate} isCopied={isCopied} />
      </p>
      {gap?.kind === 'missing' && (
        <button type="button" className={controls.button} onClick={() => onSkip(gap.toMs)}>
          Skip the gap
        </button>
      )}
    </div>
  )
}

function StatusText({ view, gap, estimate, isCopied }: Omit<HistoryStatusProps, 'onSkip'>): ReactNode {
  if (view.failure !== undefined) return <Failure failure={view.failure} atMs={view.atMs} />
  if (isCopied) return 'The link to this moment was copied.'
  if (view.state === 'waiting') return 'Waiting for frames: they are late. The playhead goes on when they arrive.'
  if (gap?.kind === 'missing')
    return `In a gap of ${lengthText(gap.toMs - gap.fromMs)}: ${causeName(gap.cause)}. There are no rows, so none are shown.`
  if (gap !== undefined) return `These rows are suspect: ${causeName(gap.cause)}.`
  if (view.state === 'playing') return 'Playing. Going back over what was played is free.'
  if (estimate?.is_included === false) {
    return (
      <>
        Looking around is free. Playing uses a stream, which your tier does not include:{' '}
        <Link to="/pricing">see the tiers</Link>.
      </>
    )
  }
  if (estimate !== undefined && estimate.credits > estimate.credits_available)
    return `You can spend ${numberText(estimate.credits_available)} credits here; playing stops when they are used up.`
  return 'Looking around is free. Playing is charged as it goes: pause, and the rest is not charged.'
}

function Failure({ failure, atMs }: { readonly failure: ReplayFailure; readonly atMs: number }): ReactNode {
  const { zone } = usePreferences()
  const reached = momentText(atMs, zone, 3)
  if (failure.code === 'out_of_credits') {
    return (
      <>
        <strong>The credits ran out at {reached}.</strong> What was played stays free. Get more on the page{' '}
        <Link to="/billing">Billing</Link>, or raise the limit of the console on the page{' '}
        <Link to="/account">Account</Link>; then press Play to go on from here.
      </>
    )
  }
  if (failure.code === 'taken_over') {
    return (
      <>
        <strong>Playing stopped at {reached}.</strong> Another tab uses the stream of your account. Press Play to take
        it back.
      </>
    )
  }
  const { title, next } = errorText(failure.code, failure.message)
  return (
    <>
      <strong>
        Playing stopped at {reached}. {title}
      </strong>{' '}
      {next}
    </>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useCallback, useState } from 'react'
import { healthQuery } from '../../data/queries.ts'
import type { LiveMarket } from '../../data/stream/live-market.ts'
import { POLL_EVERY_MS } from '../../data/stream/poll-book.ts'
import controls from '../../views/controls.module.css'
import { usePaint } from '../../views/use-paint.ts'
import { errorText } from '../../words/error-sentences.ts'
import { numberText } from '../../words/formats.ts'
import { recordingText } from '../../words/outage-texts.ts'
import { awaitsNextWindow } from './live-feed.ts'
import styles from './live-tab.module.css'
import type { LiveSession } from './use-live-market.ts'

type NoticeKind = 'none' | 'lost' | 'unrecorded' | 'taken' | 'ended' | 'skipped' | 'polled'

interface Notice {
  readonly kind: NoticeKind
  readonly text: string
}

const NONE: Notice = { kind: 'none', text: '' }

/** One line above the views with what is wrong with the stream, and what helps. */
export function LiveNotices({ session }: { readonly session: LiveSession }): ReactNode {
  const { live, reopen } = session
  const [notice, setNotice] = useState(NONE)
  const [seenSkipped, setSeenSkipped] = useState(0)
  const { data: unrecorded } = useQuery({ ...healthQuery, select: recordingText })
  const paint = useCallback(() => {
    const next = noticeOf(live, seenSkipped, unrecorded)
    setNotice((before) => (before.text === next.text ? before : next))
  }, [live, seenSkipped, unrecorded])
  usePaint(live, paint)
  return (
    <p className={styles.notice} data-kind={notice.kind} role="status">
      <span>{notice.text}</span>
      {notice.kind === 'taken' && (
        <button type="button" className={controls.button} onClick={reopen}>
          Take it back
        </button>
      )}
      {notice.kind === 'ended' && (
        <button type="button" className={controls.button} onClick={reopen}>
          Connect again
        </button>
      )}
      {notice.kind === 'skipped' && (
        <button type="button" className={controls.plain} onClick={() => setSeenSkipped(live.skippedFrames)}>
          Dismiss
        </button>
      )}
      {notice.kind === 'polled' && <Link to="/pricing">See tiers with streams</Link>}
    </p>
  )
}

function noticeOf(live: LiveMarket, seenSkipped: number, unrecorded: string | undefined): Notice {
  const { end, connection, skippedFrames, isPolled } = live
  if (end?.code === 'taken_over') return { kind: 'taken', text: 'Live in another tab' }
  if (end !== undefined && !awaitsNextWindow(live)) {
    const { title, next } = errorText(end.code, end.message)
    return { kind: 'ended', text: `${title} ${next}` }
  }
  if (connection === 'lost') {
    return { kind: 'lost', text: 'Connection lost. The page connects again and then gets what it missed.' }
  }
  if (unrecorded !== undefined) return { kind: 'unrecorded', text: unrecorded }
  if (skippedFrames > seenSkipped) {
    const frames = numberText(skippedFrames - seenSkipped)
    return { kind: 'skipped', text: `Your connection was slow: ${frames} frames were skipped` }
  }
  if (!isPolled) return NONE
  return {
    kind: 'polled',
    text: `Your tier has no streams, so the book is requested every ${POLL_EVERY_MS / 1_000} seconds. A tier with streams shows every slot.`,
  }
}

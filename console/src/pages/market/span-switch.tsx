import { type ReactNode, useEffect, useState } from 'react'
import type { HeatViewport } from '../../views/heat-map/heat-viewport.ts'
import styles from './live-tab.module.css'

const MINUTE_MS = 60_000
const SPANS = [
  { minutes: 5, text: '5 min' },
  { minutes: 15, text: '15 min' },
  { minutes: 60, text: '1 h' },
  { minutes: 240, text: '4 h' },
] as const

/** How much time the map shows, up to now. */
export function SpanSwitch({ view }: { readonly view: HeatViewport }): ReactNode {
  const [shown, setShown] = useState(() => minutesOf(view))
  useEffect(() => view.onChange(() => setShown(minutesOf(view))), [view])
  const choose = (minutes: number): void => {
    view.isFollowing = true
    view.showTime(view.toMs - minutes * MINUTE_MS, view.toMs)
  }
  return (
    <fieldset className={styles.spans} aria-label="Time on the map">
      {SPANS.map(({ minutes, text }) => (
        <button key={minutes} type="button" aria-pressed={shown === minutes} onClick={() => choose(minutes)}>
          {text}
        </button>
      ))}
    </fieldset>
  )
}

/** 0 when the view does not end now. */
function minutesOf(view: HeatViewport): number {
  return view.isFollowing ? Math.round(view.spanMs / MINUTE_MS) : 0
}

import { type ReactNode, type RefObject, useState } from 'react'
import { readTime } from '../../../data/history/time-input.ts'
import { usePreferences } from '../../../data/preferences.ts'
import controls from '../../../views/controls.module.css'
import { ZONE_MARKS } from '../../../words/formats.ts'
import { momentText } from '../../../words/moment-texts.ts'
import type { Span } from './chosen-range.ts'
import styles from './history.module.css'

interface GoToTimeProps {
  readonly field: RefObject<HTMLInputElement | null>
  readonly aroundMs: () => number
  /** The moment of the address when the page was opened. */
  readonly addressedMs: number | undefined
  readonly recorded: Span
  readonly onGo: (atMs: number) => void
}

const EXAMPLES = '15:04, -20m, 2026-11-18T15:04Z or an epoch'

export function GoToTime({ field, aroundMs, addressedMs, recorded, onGo }: GoToTimeProps): ReactNode {
  const { zone } = usePreferences()
  const problemAt = (atMs: number): string => {
    if (atMs >= recorded.fromMs && atMs < recorded.toMs) return ''
    const times = `${momentText(recorded.fromMs, zone)} to ${momentText(recorded.toMs, zone)}`
    return `${momentText(atMs, zone)} is not recorded. Choose a time from ${times}.`
  }
  const [problem, setProblem] = useState(() => (addressedMs === undefined ? '' : problemAt(addressedMs)))
  const go = (text: string): void => {
    const atMs = readTime(text, aroundMs(), zone)
    if (atMs === undefined) return setProblem(`This is no time. Type ${EXAMPLES}.`)
    const outside = problemAt(atMs)
    setProblem(outside)
    if (outside !== '') return
    onGo(atMs)
    field.current?.blur()
  }
  return (
    <form
      className={styles.goTo}
      onSubmit={(event) => {
        event.preventDefault()
        go(field.current?.value ?? '')
      }}
    >
      <label htmlFor="go-to-time">Go to</label>
      <input
        ref={field}
        id="go-to-time"
        className={controls.input}
        placeholder="15:04 or -20m"
        title={`${EXAMPLES}; ${ZONE_MARKS[zone]} time (g)`}
        autoComplete="off"
        spellCheck={false}
        aria-describedby="go-to-problem"
        aria-invalid={problem !== ''}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
      />
      <button type="submit" className={controls.button}>
        Go
      </button>
      <span id="go-to-problem" className={styles.problem} role="status">
        {problem}
      </span>
    </form>
  )
}

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import controls from '../views/controls.module.css'
import styles from './notices.module.css'

interface Notice {
  readonly id: number
  readonly text: string
}

const SHOWN_MS = 8_000
const MAX_SHOWN = 3
const Notify = createContext<(text: string) => void>(() => {})
let lastId = 0

/** Shows a short text at the edge of the page for some seconds. */
export function useNotify(): (text: string) => void {
  return useContext(Notify)
}

export function Notices({ children }: { readonly children: ReactNode }): ReactNode {
  const [notices, setNotices] = useState<readonly Notice[]>([])
  const remove = useCallback((id: number) => setNotices((shown) => shown.filter((each) => each.id !== id)), [])
  const notify = useCallback(
    (text: string) => {
      lastId += 1
      const id = lastId
      setNotices((shown) => [...shown, { id, text }].slice(-MAX_SHOWN))
      setTimeout(() => remove(id), SHOWN_MS)
    },
    [remove],
  )
  const list = useMemo(
    () => (
      <ul className={styles.notices} role="status">
        {notices.map(({ id, text }) => (
          <li key={id} className={styles.notice}>
            <span>{text}</span>
            <button type="button" className={controls.plain} onClick={() => remove(id)}>
              Dismiss
            </button>
          </li>
        ))}
      </ul>
    ),
    [notices, remove],
  )
  return (
    <Notify value={notify}>
      {children}
      {list}
    </Notify>
  )
}

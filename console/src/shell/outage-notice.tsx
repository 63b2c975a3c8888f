import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { healthQuery } from '../data/queries.ts'
import { outageText } from '../words/outage-texts.ts'
import styles from './session-notice.module.css'

/** Says which parts of the service are unavailable. The empty line is there before, so that its text is read out. */
export function OutageNotice(): ReactNode {
  const { data: health } = useQuery(healthQuery)
  const text = health && outageText(health)
  useRequestsAgain(text)
  return (
    <div role="status" aria-label="Outage" className={text === undefined ? undefined : styles.notice}>
      {text}
    </div>
  )
}

/** When an outage begins, pages find out at once which of their data is old; when it is over, they become current. */
function useRequestsAgain(outage: string | undefined): void {
  const client = useQueryClient()
  const known = useRef(outage)
  useEffect(() => {
    if (known.current === outage) return
    known.current = outage
    void client.invalidateQueries({ predicate: (query) => query.isStale() })
  }, [client, outage])
}

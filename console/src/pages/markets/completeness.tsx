import type { ReactNode } from 'react'
import { shareText } from '../../words/share-text.ts'
import styles from './markets.module.css'

/** A bar that is full only when nothing is missing. */
export function Completeness({ share }: { readonly share: number }): ReactNode {
  return (
    <span className={styles.complete}>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect className={styles.track} width="100" height="8" />
        <rect className={share === 1 ? styles.full : styles.part} width={Math.floor(share * 100)} height="8" />
      </svg>
      {shareText(share)}
    </span>
  )
}

import type { ReactNode } from 'react'
import styles from './badge.module.css'

export type Tone = 'quiet' | 'good' | 'warn' | 'bad'

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }): ReactNode {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>
}

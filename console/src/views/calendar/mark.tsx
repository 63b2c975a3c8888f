import type { CoveragePart } from '@bookreel/sdk'
import type { ReactNode } from 'react'
import styles from './calendar.module.css'
import { type Condition, conditionOf, lossLevel } from './coverage-cell.ts'

const SHAPES: Readonly<Record<Condition, string | undefined>> = {
  available: styles.available,
  degraded: styles.degraded,
  missing: styles.missing,
  pending: styles.pending,
  'not recorded': styles.none,
}

/** The shape of a condition; colour is never the only sign. */
export function Mark({ part }: { readonly part: CoveragePart | undefined }): ReactNode {
  const condition = conditionOf(part)
  const level = part !== undefined && condition === 'degraded' ? lossLevel(part) : undefined
  return <span aria-hidden="true" className={`${styles.mark} ${SHAPES[condition]}`} data-level={level} />
}

/** The same shape without a part, for the legend. */
export function MarkOf({ condition }: { readonly condition: Condition }): ReactNode {
  const level = condition === 'degraded' ? 2 : undefined
  return <span aria-hidden="true" className={`${styles.mark} ${SHAPES[condition]}`} data-level={level} />
}

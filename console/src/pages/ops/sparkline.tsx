import type { ReactNode } from 'react'
import { linePieces } from '../../data/board-trends.ts'
import styles from './ops.module.css'

const WIDTH = 120
const HEIGHT = 22

/** Values since the page was opened, from zero to the largest. The newest one is beside it as text. */
export function Sparkline({ values }: { readonly values: readonly (number | null)[] }): ReactNode {
  return (
    <svg className={styles.spark} viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} preserveAspectRatio="none" aria-hidden="true">
      {linePieces(values, WIDTH, HEIGHT).map((points) => (
        <polyline key={points} points={points} />
      ))}
    </svg>
  )
}

import type { CoveragePart } from '@bookreel/sdk'
import type { ReactNode } from 'react'
import styles from './calendar.module.css'
import { partText } from './coverage-cell.ts'
import { Mark } from './mark.tsx'

interface CellButtonProps<Cell> {
  readonly cell: Cell
  /** The day or the hour in words. */
  readonly name: string
  readonly part: CoveragePart | undefined
  /** What it is, when it is the chosen one. */
  readonly current: 'date' | 'time' | undefined
  /** The only cell in the order of the Tab key. */
  readonly isActive: boolean
  /** `byKeyboard`: the focus moves on to what was opened. */
  readonly onChoose: (cell: Cell, byKeyboard: boolean) => void
  readonly children?: ReactNode
}

/** A day or an hour of a calendar. */
export function CellButton<Cell extends string | number>(props: CellButtonProps<Cell>): ReactNode {
  const { cell, name, part, current, isActive, onChoose, children } = props
  const text = `${name}: ${partText(part)}`
  return (
    <button
      type="button"
      className={styles.cell}
      data-cell={cell}
      aria-current={current}
      tabIndex={isActive ? 0 : -1}
      aria-label={text}
      title={text}
      onClick={(event) => onChoose(cell, event.detail === 0)}
    >
      <Mark part={part} />
      {children}
    </button>
  )
}

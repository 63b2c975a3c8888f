import type { ReactNode } from 'react'
import { capitalised } from '../../words/formats.ts'
import styles from './live-tab.module.css'

const PARTS = ['ladder', 'map', 'tape'] as const
export type ShownPart = (typeof PARTS)[number]

interface PartSwitchProps {
  readonly chosen: ShownPart
  readonly onChoose: (part: ShownPart) => void
}

/** Small screens show one part at a time. */
export function PartSwitch({ chosen, onChoose }: PartSwitchProps): ReactNode {
  return (
    <fieldset className={styles.parts} aria-label="Shown part">
      {PARTS.map((part) => (
        <button key={part} type="button" aria-pressed={part === chosen} onClick={() => onChoose(part)}>
          {capitalised(part)}
        </button>
      ))}
    </fieldset>
  )
}

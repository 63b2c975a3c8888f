import { type ReactNode, useState } from 'react'
import controls from './controls.module.css'

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for screen readers. */
  readonly what: string
}

export function CopyButton({ text, what }: CopyButtonProps): ReactNode {
  const [state, setState] = useState<'Copy' | 'Copied' | 'Not copied'>('Copy')
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setState('Copied'),
      () => setState('Not copied'),
    )
  }
  return (
    <button type="button" className={controls.button} onClick={copy} aria-label={`${state} ${what}`}>
      {state}
    </button>
  )
}

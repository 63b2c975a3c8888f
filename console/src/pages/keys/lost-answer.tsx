import { BookreelError } from '@bookreel/sdk'
import type { ReactNode } from 'react'
import { Problem } from '../../views/view.tsx'

const LOST: readonly string[] = ['network', 'timeout', 'unexpected_answer']

interface LostAnswerProps {
  readonly error: Error
  /** What may have happened although the answer was lost. */
  readonly maybe: string
}

/** A refusal says what to do; after a lost answer nobody knows whether the change was made. */
export function LostAnswer({ error, maybe }: LostAnswerProps): ReactNode {
  const isLost = error instanceof BookreelError && LOST.includes(error.code)
  return (
    <>
      <Problem error={error} />
      {isLost && <p>{maybe}</p>}
    </>
  )
}

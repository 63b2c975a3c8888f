import type { ReactNode } from 'react'
import type { ApiKey, NewApiKey } from '../../data/account-types.ts'
import { sessionRequest } from '../../data/session-request.ts'
import controls from '../../views/controls.module.css'
import { FormDialog } from '../../views/dialog.tsx'
import { plainText } from '../../words/formats.ts'
import { LostAnswer } from './lost-answer.tsx'
import { useKeyChange } from './use-key-change.ts'

interface RotateKeyDialogProps {
  readonly of: ApiKey
  readonly onRotated: (key: NewApiKey) => void
  readonly onClose: () => void
}

const OVERLAPS = [
  { seconds: 3_600, text: 'One hour' },
  { seconds: 86_400, text: 'One day' },
  { seconds: 0, text: 'Not at all: it is refused within seconds' },
] as const

export function RotateKeyDialog({ of: key, onRotated, onClose }: RotateKeyDialogProps): ReactNode {
  const rotation = useKeyChange(
    (overlapSeconds: number) => sessionRequest<NewApiKey>(`/v1/api-keys/${key.id}/rotate`, 'POST', { overlapSeconds }),
    onRotated,
  )
  return (
    <FormDialog
      title={`Rotate ${plainText(key.label)}`}
      submit="Rotate"
      isBusy={rotation.isPending}
      onSubmit={(data) => rotation.mutate(Number(data.get('overlap')))}
      onClose={onClose}
    >
      <p>The key gets another secret. Label, limits and usage stay.</p>
      <fieldset className={controls.field}>
        <legend>The old secret goes on working for</legend>
        {OVERLAPS.map(({ seconds, text }, index) => (
          <label key={seconds} className={controls.choice}>
            <input type="radio" name="overlap" value={seconds} defaultChecked={index === 0} />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      {rotation.error !== null && (
        <LostAnswer
          error={rotation.error}
          maybe="The key may have been rotated all the same. The list says whether an old secret works; rotate again without an overlap to get a secret that you know."
        />
      )}
    </FormDialog>
  )
}

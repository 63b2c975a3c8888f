import { type ReactNode, useId, useState } from 'react'
import type { ApiKey } from '../../data/account-types.ts'
import { sessionAnswer } from '../../data/session-request.ts'
import { useNotify } from '../../shell/notices.tsx'
import controls from '../../views/controls.module.css'
import { FormDialog } from '../../views/dialog.tsx'
import { Problem } from '../../views/view.tsx'
import { plainText } from '../../words/formats.ts'
import { useKeyChange } from './use-key-change.ts'

interface RevokeKeyDialogProps {
  readonly of: ApiKey
  readonly onClose: () => void
}

export function RevokeKeyDialog({ of: key, onClose }: RevokeKeyDialogProps): ReactNode {
  const id = useId()
  const [typed, setTyped] = useState('')
  const notify = useNotify()
  const label = plainText(key.label)
  const revocation = useKeyChange(
    () => sessionAnswer<undefined>(`/v1/api-keys/${key.id}`, 'DELETE'),
    ({ headers }) => {
      const seconds = Number(headers.get('x-revoked-within-seconds') ?? 0)
      notify(seconds === 0 ? 'The key has stopped working.' : `The key stops working within ${seconds} seconds.`)
      onClose()
    },
  )
  return (
    <FormDialog
      title={`Revoke ${label}`}
      submit="Revoke"
      isBusy={revocation.isPending}
      isDisabled={asSeen(typed) !== asSeen(label)}
      isDangerous
      onSubmit={() => revocation.mutate(undefined)}
      onClose={onClose}
    >
      <p>Programs that use this key stop working at once, and its streams end. This cannot be undone.</p>
      <div className={controls.field}>
        <label htmlFor={id}>
          Type <bdi>{plainText(label)}</bdi> to confirm
        </label>
        <input
          id={id}
          className={controls.input}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      {revocation.error !== null && <Problem error={revocation.error} />}
    </FormDialog>
  )
}

/** Browsers show several spaces as one, and people can't type what is not seen. */
function asSeen(text: string): string {
  return plainText(text).normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}

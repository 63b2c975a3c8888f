import type { ReactNode } from 'react'
import type { ApiKey, KeyChanges } from '../../data/account-types.ts'
import { sessionRequest } from '../../data/session-request.ts'
import { useNotify } from '../../shell/notices.tsx'
import { FormDialog } from '../../views/dialog.tsx'
import { Problem } from '../../views/view.tsx'
import { formText } from '../../words/form-text.ts'
import { creditLimitOf, endOfDay, lastDayOf } from './key-facts.ts'
import { CreditLimitField, ExpiryField, LabelField } from './key-fields.tsx'
import { useKeyChange } from './use-key-change.ts'

interface EditKeyDialogProps {
  readonly of: ApiKey
  readonly onClose: () => void
}

export function EditKeyDialog({ of: key, onClose }: EditKeyDialogProps): ReactNode {
  const notify = useNotify()
  const lastDay = key.expiresAt === null ? undefined : lastDayOf(key.expiresAt)
  const change = useKeyChange(
    (changes: KeyChanges) => sessionRequest<ApiKey>(`/v1/api-keys/${key.id}`, 'PATCH', changes),
    () => {
      notify('The key was changed.')
      onClose()
    },
  )
  const submit = (data: FormData): void => {
    const day = formText(data, 'expiry')
    change.mutate({
      label: formText(data, 'label'),
      creditLimit: creditLimitOf(formText(data, 'creditLimit')) ?? null,
      // Another end of the same day must not be replaced by ours.
      ...(day !== (lastDay ?? '') && { expiresAt: day === '' ? null : endOfDay(day) }),
    })
  }
  return (
    <FormDialog title="Edit the key" submit="Save" isBusy={change.isPending} onSubmit={submit} onClose={onClose}>
      <LabelField value={key.label} />
      <ExpiryField value={lastDay} />
      <CreditLimitField value={key.creditLimit ?? undefined} />
      {change.error !== null && <Problem error={change.error} />}
    </FormDialog>
  )
}

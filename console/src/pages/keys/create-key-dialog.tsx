import type { ReactNode } from 'react'
import { type NewApiKey, type NewKeyRequest, SCOPES } from '../../data/account-types.ts'
import { sessionRequest } from '../../data/session-request.ts'
import controls from '../../views/controls.module.css'
import { FormDialog } from '../../views/dialog.tsx'
import { formText } from '../../words/form-text.ts'
import { creditLimitOf, endOfDay, SCOPE_TEXTS } from './key-facts.ts'
import { CreditLimitField, ExpiryField, LabelField } from './key-fields.tsx'
import { LostAnswer } from './lost-answer.tsx'
import { useKeyChange } from './use-key-change.ts'

interface CreateKeyDialogProps {
  readonly onMade: (key: NewApiKey) => void
  readonly onClose: () => void
}

export function CreateKeyDialog({ onMade, onClose }: CreateKeyDialogProps): ReactNode {
  const creation = useKeyChange(
    (request: NewKeyRequest) => sessionRequest<NewApiKey>('/v1/api-keys', 'POST', request),
    onMade,
  )
  return (
    <FormDialog
      title="Create an API key"
      submit="Create"
      isBusy={creation.isPending}
      onSubmit={(data) => creation.mutate(requestOf(data))}
      onClose={onClose}
    >
      <LabelField />
      <fieldset className={controls.field}>
        <legend>Scopes</legend>
        {SCOPES.map((scope) => (
          <label key={scope} className={controls.choice}>
            <input type="checkbox" name="scopes" value={scope} defaultChecked />
            <span>{scope}</span>
            <span className={controls.hint}>{SCOPE_TEXTS[scope]}</span>
          </label>
        ))}
      </fieldset>
      <ExpiryField />
      <CreditLimitField />
      {creation.error !== null && (
        <LostAnswer
          error={creation.error}
          maybe="The key may have been created all the same. Look at the list before you try again, and revoke a key whose secret you do not have."
        />
      )}
    </FormDialog>
  )
}

function requestOf(data: FormData): NewKeyRequest {
  const day = formText(data, 'expiry')
  const creditLimit = creditLimitOf(formText(data, 'creditLimit'))
  return {
    label: formText(data, 'label'),
    scopes: SCOPES.filter((scope) => data.getAll('scopes').includes(scope)),
    ...(day !== '' && { expiresAt: endOfDay(day) }),
    ...(creditLimit !== undefined && { creditLimit }),
  }
}

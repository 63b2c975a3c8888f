import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { ApiKey, NewApiKey } from '../../data/account-types.ts'
import { monthCreditsQuery } from '../../data/key-queries.ts'
import { keysQuery, subscriptionQuery } from '../../data/queries.ts'
import { SignInGate } from '../../shell/sign-in-gate.tsx'
import controls from '../../views/controls.module.css'
import { CsvButton } from '../../views/list-actions.tsx'
import { Page, Panel } from '../../views/page.tsx'
import { useNow } from '../../views/use-now.ts'
import { View } from '../../views/view.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { EditKeyDialog } from './edit-key-dialog.tsx'
import { isWorking, keyLimitText } from './key-facts.ts'
import { KeyTable } from './key-table.tsx'
import { RevokeKeyDialog } from './revoke-key-dialog.tsx'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'

export type KeyTask =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly key: ApiKey }
  | { readonly kind: 'secret'; readonly key: NewApiKey }

export function KeysPage(): ReactNode {
  return (
    <SignInGate title="API keys" purpose="Sign in to create API keys, to limit and rotate them, and to revoke them.">
      <Keys />
    </SignInGate>
  )
}

function Keys(): ReactNode {
  const keys = useQuery(keysQuery)
  const subscription = useQuery(subscriptionQuery)
  const hasLimits = keys.data?.some(({ creditLimit }) => creditLimit !== null) === true
  const month = useQuery({ ...monthCreditsQuery(Date.now(), keys.dataUpdatedAt), enabled: hasLimits })
  const [task, setTask] = useState<KeyTask>()
  const nowMs = useNow()
  const working = keys.data?.filter((key) => isWorking(key, nowMs)).length
  const plan = subscription.data
  const limit = plan && working !== undefined ? keyLimitText(plan.tier, working, plan.limits.maxKeys) : undefined
  return (
    <Page
      title="API keys"
      lead={
        <>
          Programs send a key in the header <code>X-API-Key</code>. The service stores only a hash, so a key is shown
          once.
        </>
      }
      action={
        <button
          type="button"
          className={controls.primary}
          disabled={limit !== undefined}
          aria-describedby={limit === undefined ? undefined : 'key-limit'}
          onClick={() => setTask({ kind: 'create' })}
        >
          Create key
        </button>
      }
    >
      {limit !== undefined && (
        <p id="key-limit" className={controls.hint}>
          {limit}
        </p>
      )}
      <Panel title="Keys" note={plan && working !== undefined && `${working} of ${plan.limits.maxKeys} in use`}>
        <View
          of={keys}
          empty={(list) => (list.length === 0 ? 'You have no API key yet. Create one to use the API.' : undefined)}
        >
          {(list) => (
            <>
              <KeyTable keys={list} nowMs={nowMs} monthCredits={month.data} onTask={setTask} />
              <p>
                <CsvButton path="/v1/api-keys" name="api-keys" />
              </p>
            </>
          )}
        </View>
      </Panel>
      <TaskDialog task={task} onTask={setTask} />
    </Page>
  )
}

interface TaskDialogProps {
  readonly task: KeyTask | undefined
  readonly onTask: (task: KeyTask | undefined) => void
}

function TaskDialog({ task, onTask }: TaskDialogProps): ReactNode {
  const onClose = (): void => onTask(undefined)
  const onSecret = (key: NewApiKey): void => onTask({ kind: 'secret', key })
  switch (task?.kind) {
    case 'create':
      return <CreateKeyDialog onMade={onSecret} onClose={onClose} />
    case 'edit':
      return <EditKeyDialog of={task.key} onClose={onClose} />
    case 'rotate':
      return <RotateKeyDialog of={task.key} onRotated={onSecret} onClose={onClose} />
    case 'revoke':
      return <RevokeKeyDialog of={task.key} onClose={onClose} />
    case 'secret':
      return <SecretDialog of={task.key} onClose={onClose} />
    default:
      return null
  }
}

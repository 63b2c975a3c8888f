import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type SubmitEventHandler, useId } from 'react'
import type { ConsoleBudget } from '../../data/account-types.ts'
import { budgetQuery } from '../../data/queries.ts'
import { sessionRequest } from '../../data/session-request.ts'
import { useNotify } from '../../shell/notices.tsx'
import controls from '../../views/controls.module.css'
import { Panel } from '../../views/page.tsx'
import { Problem, View } from '../../views/view.tsx'
import { formText } from '../../words/form-text.ts'
import { numberText } from '../../words/formats.ts'

/** What these pages themselves may spend; keys have limits of their own. */
export function Budget(): ReactNode {
  const budget = useQuery(budgetQuery)
  return (
    <Panel title="Spending of this console" note="usage shows it as the key Console">
      <View of={budget}>
        {(data) => (
          <>
            <p>
              {numberText(data.creditsThisMonth)} credits this month. At most {numberText(data.requestsPerMinute)}{' '}
              requests per minute, which do not count for your keys.
            </p>
            <LimitForm budget={data} />
          </>
        )}
      </View>
    </Panel>
  )
}

function LimitForm({ budget }: { readonly budget: ConsoleBudget }): ReactNode {
  const id = useId()
  const client = useQueryClient()
  const notify = useNotify()
  const change = useMutation({
    mutationFn: (creditLimit: number | null) =>
      sessionRequest<ConsoleBudget>('/app/api/budget', 'PATCH', { creditLimit }),
    onSuccess: (changed) => {
      client.setQueryData(budgetQuery.queryKey, changed)
      notify('The limit of the console was changed.')
    },
  })
  const onSubmit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault()
    const text = formText(new FormData(event.currentTarget), 'limit').trim()
    change.mutate(text === '' ? null : Number(text))
  }
  return (
    <form className={controls.row} onSubmit={onSubmit}>
      <label htmlFor={id}>Limit per month</label>
      <span>
        <input
          id={id}
          className={controls.input}
          type="number"
          name="limit"
          min={0}
          step={1}
          placeholder="no limit"
          defaultValue={budget.creditLimit ?? undefined}
        />
      </span>
      <button type="submit" className={controls.button} disabled={change.isPending}>
        Save
      </button>
      {change.error !== null && <Problem error={change.error} />}
    </form>
  )
}

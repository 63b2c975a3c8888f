import { BookreelError } from '@bookreel/sdk'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { signInAgainAddress } from '../../data/session.ts'
import { useReturnTo } from '../../shell/use-return-to.ts'
import controls from '../../views/controls.module.css'
import { FormDialog } from '../../views/dialog.tsx'
import { Problem } from '../../views/view.tsx'
import { formText } from '../../words/form-text.ts'

interface ReasonDialogProps<Result> {
  readonly title: string
  readonly submit: string
  /** What happens. */
  readonly children: ReactNode
  readonly isDangerous?: boolean
  readonly change: (reason: string) => Promise<Result>
  readonly onDone: (result: Result) => void
  readonly onClose: () => void
}

/** A change by an operator, with the reason that the account will see. */
export function ReasonDialog<Result>(props: ReasonDialogProps<Result>): ReactNode {
  const { title, submit, children, isDangerous = false, change, onDone, onClose } = props
  const id = useId()
  const mutation = useMutation({ mutationFn: change, onSuccess: onDone })
  return (
    <FormDialog
      title={title}
      submit={submit}
      isBusy={mutation.isPending}
      isDangerous={isDangerous}
      onSubmit={(data) => mutation.mutate(formText(data, 'reason').trim())}
      onClose={onClose}
    >
      {children}
      <div className={controls.field}>
        <label htmlFor={id}>Reason</label>
        <input
          id={id}
          name="reason"
          className={controls.input}
          autoComplete="off"
          required
          minLength={3}
          maxLength={500}
          aria-describedby={`${id}-hint`}
        />
        <span id={`${id}-hint`} className={controls.hint}>
          It is written to the events of the account, with your name; the user can read it.
        </span>
      </div>
      {mutation.error !== null && <Refused error={mutation.error} />}
    </FormDialog>
  )
}

function Refused({ error }: { readonly error: Error }): ReactNode {
  const returnTo = useReturnTo()
  const isOld = error instanceof BookreelError && error.code === 'sign_in_again'
  return (
    <>
      <Problem error={error} />
      {isOld && (
        <p>
          <a className={controls.primary} href={signInAgainAddress(returnTo)}>
            Sign in again
          </a>
        </p>
      )}
    </>
  )
}

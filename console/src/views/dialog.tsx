import { type ReactNode, type SubmitEventHandler, useId } from 'react'
import { createPortal } from 'react-dom'
import controls from './controls.module.css'
import styles from './dialog.module.css'
import { useModal } from './use-modal.ts'

interface DialogProps {
  readonly title: string
  /** Undefined: the dialog closes only by its own buttons. */
  readonly onClose?: () => void
  readonly children: ReactNode
}

/** A modal dialog, open for as long as it is rendered. It is outside of the content, which may be inert. */
export function Dialog({ title, onClose, children }: DialogProps): ReactNode {
  const ref = useModal()
  const id = useId()
  return createPortal(
    <dialog
      ref={ref}
      className={styles.dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onKeyDown={(event) => {
        // Browsers close a dialog on the second Escape, whatever the page says.
        if (event.key !== 'Escape') return
        event.preventDefault()
        onClose?.()
      }}
    >
      <div className={styles.content}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>,
    document.body,
  )
}

interface FormDialogProps {
  readonly title: string
  readonly submit: string
  readonly isBusy: boolean
  readonly isDisabled?: boolean
  readonly isDangerous?: boolean
  readonly onSubmit: (data: FormData) => void
  readonly onClose: () => void
  readonly children: ReactNode
}

export function FormDialog(props: FormDialogProps): ReactNode {
  const { title, submit, isBusy, isDisabled, isDangerous, onSubmit, onClose, children } = props
  const onFormSubmit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault()
    onSubmit(new FormData(event.currentTarget))
  }
  return (
    // A request that runs has to end first: its answer may be a secret that is shown only once.
    <Dialog title={title} {...(!isBusy && { onClose })}>
      <form className={styles.form} onSubmit={onFormSubmit}>
        {children}
        <div className={styles.actions}>
          <button type="button" className={controls.button} disabled={isBusy} onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            className={isDangerous === true ? controls.danger : controls.primary}
            disabled={isBusy || isDisabled === true}
          >
            {submit}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

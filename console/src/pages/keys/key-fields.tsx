import { type ReactNode, useId } from 'react'
import controls from '../../views/controls.module.css'

const MAX_LABEL = 64

export function LabelField({ value }: { readonly value?: string }): ReactNode {
  const id = useId()
  return (
    <div className={controls.field}>
      <label htmlFor={id}>Label</label>
      <input
        id={id}
        className={controls.input}
        name="label"
        maxLength={MAX_LABEL}
        defaultValue={value}
        placeholder="research notebook"
        autoComplete="off"
        required
      />
    </div>
  )
}

export function ExpiryField({ value }: { readonly value?: string | undefined }): ReactNode {
  const id = useId()
  const today = new Date().toISOString().slice(0, 10)
  // An earlier day that is not changed must not stop other changes.
  const first = value !== undefined && value < today ? value : today
  return (
    <div className={controls.field}>
      <label htmlFor={id}>Last day</label>
      <input
        id={id}
        className={controls.input}
        type="date"
        name="expiry"
        min={first}
        defaultValue={value}
        aria-describedby={`${id}-hint`}
      />
      <span id={`${id}-hint`} className={controls.hint}>
        The key stops at the end of this day, UTC. Empty: it does not expire.
      </span>
    </div>
  )
}

export function CreditLimitField({ value }: { readonly value?: number | undefined }): ReactNode {
  const id = useId()
  return (
    <div className={controls.field}>
      <label htmlFor={id}>Credit limit per month</label>
      <input
        id={id}
        className={controls.input}
        type="number"
        name="creditLimit"
        min={0}
        step={1}
        inputMode="numeric"
        defaultValue={value}
        aria-describedby={`${id}-hint`}
      />
      <span id={`${id}-hint`} className={controls.hint}>
        Requests beyond it are refused until the next month. Empty: no limit.
      </span>
    </div>
  )
}

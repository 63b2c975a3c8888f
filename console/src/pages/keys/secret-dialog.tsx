import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { NewApiKey } from '../../data/account-types.ts'
import controls from '../../views/controls.module.css'
import { CopyButton } from '../../views/copy-button.tsx'
import { Dialog } from '../../views/dialog.tsx'
import { Instant } from '../../views/instant.tsx'
import styles from './keys.module.css'

/** Closes only by its button, and the page can't be left, because the key cannot be shown again. */
export function SecretDialog({
  of: key,
  onClose,
}: {
  readonly of: NewApiKey
  readonly onClose: () => void
}): ReactNode {
  const line = `BOOKREEL_KEY=${key.key}`
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: true })
  return (
    <Dialog title="Store this key now">
      <p>It is shown only once. Keep it where your program reads its secrets.</p>
      <div className={styles.secret}>
        <code id="secret">{key.key}</code>
        <div className={controls.row}>
          <CopyButton text={key.key} what="the key" />
        </div>
      </div>
      <div className={styles.secret}>
        <span className={controls.hint}>
          As a line of an <code>.env</code> file
        </span>
        <code>{line}</code>
        <div className={controls.row}>
          <CopyButton text={line} what="the line" />
        </div>
      </div>
      {key.formerSecretUntil !== null && (
        <p className={controls.hint}>
          The old secret works until <Instant at={key.formerSecretUntil} />.
        </p>
      )}
      <div className={controls.row}>
        <button type="button" className={controls.primary} onClick={onClose}>
          I have stored it
        </button>
      </div>
    </Dialog>
  )
}

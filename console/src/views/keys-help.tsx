import { type ReactNode, useState } from 'react'
import controls from './controls.module.css'
import { Dialog } from './dialog.tsx'
import { useHeatKeys } from './heat-map/use-heat-keys.ts'
import styles from './keys-help.module.css'

export type KeyList = readonly (readonly [key: string, effect: string])[]

const EVERYWHERE: KeyList = [
  ['/, Ctrl+K', 'search pages and markets'],
  ['?', 'this list'],
]

/** The keys of the page, as a list. */
export function KeysHelp({ keys }: { readonly keys: KeyList }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  useHeatKeys({ '?': () => setOpen(true) })
  return (
    <>
      <button type="button" className={controls.plain} onClick={() => setOpen(true)}>
        Keys
      </button>
      {isOpen && (
        <Dialog title="Keys of this page" onClose={() => setOpen(false)}>
          <dl className={styles.keys}>
            {[...keys, ...EVERYWHERE].map(([key, effect]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{effect}</dd>
              </div>
            ))}
          </dl>
          <button type="button" className={controls.button} onClick={() => setOpen(false)}>
            Close
          </button>
        </Dialog>
      )}
    </>
  )
}

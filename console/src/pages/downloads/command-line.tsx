import type { ReactNode } from 'react'
import controls from '../../views/controls.module.css'
import { CopyButton } from '../../views/copy-button.tsx'
import { Panel } from '../../views/page.tsx'
import { cliCommand } from './cli-command.ts'
import styles from './downloads.module.css'
import type { Selection } from './downloads-search.ts'

/** The same for a terminal, always shown: large downloads should be made there. */
export function CommandLine({ selection }: { readonly selection: Selection }): ReactNode {
  const command = cliCommand(selection, location.origin)
  return (
    <Panel title="The same in a terminal" note="any number of files, resumes, writes a manifest with every hash">
      {command === undefined ? (
        <p>Snapshots can be read for single markets only. Choose single markets, or choose hours.</p>
      ) : (
        <div className={styles.command}>
          <pre>
            <code>{command}</code>
          </pre>
          <CopyButton text={command} what="the command" />
        </div>
      )}
      <p className={controls.hint}>
        It asks for confirmation of the price. It reads your key from <code>BOOKREEL_KEY</code>, or from{' '}
        <code>bookreel key set</code>.
      </p>
    </Panel>
  )
}

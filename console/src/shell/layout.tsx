import { Outlet } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { useSession } from '../data/session.ts'
import styles from './layout.module.css'
import { Notices } from './notices.tsx'
import { OutageNotice } from './outage-notice.tsx'
import { Palette } from './palette.tsx'
import { SessionNotice } from './session-notice.tsx'
import { TopBar } from './top-bar.tsx'
import { useAccountChanges } from './use-account-changes.ts'
import { usePalette } from './use-palette.ts'
import { useSessionChanges } from './use-session-changes.ts'

export function Layout(): ReactNode {
  const session = useSession()
  const palette = usePalette()
  useSessionChanges()
  const hasEnded = session?.state === 'ended'
  const account = useAccountChanges()
  return (
    <Notices>
      <a className={styles.skip} href="#content">
        Skip to the content
      </a>
      <TopBar onSearch={palette.open} />
      <SessionNotice />
      <OutageNotice />
      <main id="content" tabIndex={-1} className={hasEnded ? styles.ended : styles.content} inert={hasEnded}>
        {/* Another account gets pages of its own: nothing of the former one stays on the screen. */}
        <Fragment key={account}>
          <Outlet />
        </Fragment>
      </main>
      {palette.isOpen && <Palette onClose={palette.close} />}
    </Notices>
  )
}

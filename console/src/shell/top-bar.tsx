import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { changePreferences, nextTheme, usePreferences } from '../data/preferences.ts'
import { signInAddress, useSession, useSignedIn } from '../data/session.ts'
import controls from '../views/controls.module.css'
import { plainText } from '../words/formats.ts'
import { DOCUMENTS, OPERATOR_PAGES, PAGES } from './pages.ts'
import styles from './top-bar.module.css'
import { useReturnTo } from './use-return-to.ts'

export function TopBar({ onSearch }: { readonly onSearch: () => void }): ReactNode {
  const [isMenuOpen, setMenuOpen] = useState(false)
  const closeMenu = (): void => setMenuOpen(false)
  const isOperator = useSignedIn()?.isOperator === true
  return (
    <header className={styles.bar}>
      <Link to="/" className={styles.brand} onClick={closeMenu}>
        Bookreel
      </Link>
      <button
        type="button"
        className={`${controls.button} ${styles.menuButton}`}
        aria-expanded={isMenuOpen}
        aria-controls="menu"
        onClick={() => setMenuOpen(!isMenuOpen)}
      >
        Menu
      </button>
      <nav id="menu" aria-label="Pages" className={isMenuOpen ? styles.openMenu : styles.menu}>
        {[...PAGES.slice(1), ...(isOperator ? OPERATOR_PAGES : [])].map(({ to, name }) => (
          <Link key={to} to={to} className={styles.link} onClick={closeMenu} activeOptions={{ includeSearch: false }}>
            {name}
          </Link>
        ))}
        {DOCUMENTS.map(({ href, name }) => (
          <a key={href} href={href} className={styles.link}>
            {name}
          </a>
        ))}
        <span className={styles.themeInMenu}>
          <ThemeButton />
        </span>
      </nav>
      <div className={styles.tools}>
        <button type="button" className={styles.search} onClick={onSearch} aria-label="Search pages and markets">
          <span className={styles.searchText}>Search</span>
          <kbd>/</kbd>
        </button>
        <span className={styles.theme}>
          <ThemeButton />
        </span>
        <Who />
      </div>
    </header>
  )
}

const THEME_TEXTS = { system: 'Auto', dark: 'Dark', light: 'Light' } as const

function ThemeButton(): ReactNode {
  const { theme } = usePreferences()
  return (
    <button
      type="button"
      className={controls.plain}
      onClick={() => changePreferences({ theme: nextTheme(theme) })}
      aria-label={`${THEME_TEXTS[theme]} theme. Change to ${THEME_TEXTS[nextTheme(theme)].toLowerCase()}`}
      title={`Theme: ${theme}`}
    >
      {THEME_TEXTS[theme]}
    </button>
  )
}

function Who(): ReactNode {
  const session = useSession()
  const signedIn = useSignedIn()
  const returnTo = useReturnTo()
  if (signedIn !== undefined) {
    return (
      <Link to="/account" className={styles.who} title={plainText(signedIn.who)}>
        <bdi>{plainText(signedIn.who)}</bdi>
      </Link>
    )
  }
  if (session?.state !== 'out') return null
  return (
    <a className={controls.primary} href={signInAddress(returnTo)}>
      Sign in
    </a>
  )
}

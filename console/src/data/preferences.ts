import { useSyncExternalStore } from 'react'
import type { TimeZone } from '../words/formats.ts'

const THEMES = ['system', 'dark', 'light'] as const
export type Theme = (typeof THEMES)[number]

/** What the user has chosen for this browser. */
export interface Preferences {
  readonly theme: Theme
  readonly zone: TimeZone
  /** Single letters and signs as shortcuts; users of speech input switch them off. */
  readonly hasShortcuts: boolean
}

const STORED_AS = 'bookreel-preferences'
const DEFAULTS: Preferences = { theme: 'system', zone: 'utc', hasShortcuts: true }
const listeners = new Set<() => void>()
let current = readStored()

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current)
}

/** For code that draws without React. */
export function chosenZone(): TimeZone {
  return current.zone
}

export function changePreferences(changes: Partial<Preferences>): void {
  current = { ...current, ...changes }
  store()
  applyTheme()
  for (const listener of listeners) listener()
}

/** Without the attribute, styles follow the system. */
export function applyTheme(): void {
  if (current.theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = current.theme
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
}

function readStored(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED_AS) ?? '{}') as Partial<Preferences>
    const theme = THEMES.find((each) => each === stored.theme) ?? DEFAULTS.theme
    return { theme, zone: stored.zone === 'local' ? 'local' : 'utc', hasShortcuts: stored.hasShortcuts !== false }
  } catch {
    return DEFAULTS
  }
}

/** A browser without storage forgets the choice, and nothing else. */
function store(): void {
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(current))
  } catch {}
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

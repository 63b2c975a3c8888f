import { useEffect } from 'react'
import { usePreferences } from '../../data/preferences.ts'
import { isKeyForOthers } from '../key-for-others.ts'

/** Single letters for the whole page, unless the user is typing or has switched them off. */
export function useHeatKeys(actions: Readonly<Record<string, () => void>>): void {
  const { hasShortcuts } = usePreferences()
  useEffect(() => {
    if (!hasShortcuts) return undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      const action = actions[event.key]
      if (action !== undefined && !isKeyForOthers(event)) action()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })
}

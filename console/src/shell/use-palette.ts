import { useEffect, useState } from 'react'
import { usePreferences } from '../data/preferences.ts'

interface PaletteState {
  readonly isOpen: boolean
  readonly open: () => void
  readonly close: () => void
}

/** Opens with ⌘K or Ctrl+K anywhere, and with `/` unless the user is typing. */
export function usePalette(): PaletteState {
  const [isOpen, setOpen] = useState(false)
  const { hasShortcuts } = usePreferences()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isCommand = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)
      const isSlash = event.key === '/' && hasShortcuts && !isTyping(event.target)
      if ((!isCommand && !isSlash) || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      setOpen(true)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [hasShortcuts])
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) }
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}

import { type RefObject, useEffect } from 'react'
import { usePreferences } from '../../data/preferences.ts'
import type { KeyList } from '../../views/keys-help.tsx'

interface ListKeys {
  /** Rows are links with `data-market`. */
  readonly rows: RefObject<HTMLElement | null>
  readonly filters: RefObject<HTMLElement | null>
}

export const LIST_KEYS: KeyList = [
  ['j, k', 'next and previous market'],
  ['Enter', 'open the market'],
  ['f', 'go to the filters'],
]

/** `j` and `k` move through the rows, whose links Enter opens; `f` moves to the filters. */
export function useListKeys({ rows, filters }: ListKeys): void {
  const { hasShortcuts } = usePreferences()
  useEffect(() => {
    if (!hasShortcuts) return
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('dialog[open]') !== null) return
      if (event.key === 'j') moveFocus(rows.current, 1)
      else if (event.key === 'k') moveFocus(rows.current, -1)
      else if (event.key === 'f') focusFilters(filters.current)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [hasShortcuts, rows, filters])
}

function moveFocus(box: HTMLElement | null, step: number): void {
  const links = [...(box?.querySelectorAll<HTMLElement>('a[data-market]') ?? [])]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))
  links[next]?.focus()
}

function focusFilters(box: HTMLElement | null): void {
  const details = box?.querySelector('details')
  if (details) details.open = true
  box?.querySelector<HTMLElement>('a, select, input')?.focus()
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}

import { useEffect } from 'react'
import type { Step } from '../../../data/history/steps.ts'
import { usePreferences } from '../../../data/preferences.ts'
import type { KeyList } from '../../../views/keys-help.tsx'
import { MAP_KEYS } from '../market-keys.ts'

export interface HistoryActions {
  readonly togglePlay: () => void
  readonly step: (step: Step, direction: 1 | -1) => void
  readonly changeSpeed: (direction: 1 | -1) => void
  readonly goTo: () => void
  readonly copy: () => void
}

/** The keys of the page, as its help lists them. */
export const HISTORY_KEYS: KeyList = [
  ['Space, k', 'play, pause'],
  ['← →', 'one slot; with shift ten seconds, with alt one minute'],
  ['[ ]', 'previous and next gap'],
  [', .', 'previous and next trade'],
  ['< >', 'previous and next end of a window'],
  ['Home, End', 'start and end of the range'],
  ['- +', 'speed'],
  ['g', 'go to a time'],
  ['y', 'copy the address of this moment'],
  ['Arrows, on the overview', 'move the range; with shift its end'],
  ...MAP_KEYS,
]

const STEPS: Readonly<Record<string, readonly [Step, 1 | -1]>> = {
  '[': ['gap', -1],
  ']': ['gap', 1],
  ',': ['trade', -1],
  '.': ['trade', 1],
  '<': ['window', -1],
  '>': ['window', 1],
  Home: ['range', -1],
  End: ['range', 1],
}

/** Keys without a letter or sign work also when single-letter shortcuts are switched off. */
export function useHistoryKeys(actions: HistoryActions): void {
  const { hasShortcuts } = usePreferences()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isForOthers(event)) return
      const isSingle = event.key.length === 1 && event.key !== ' '
      if (isSingle && !hasShortcuts) return
      if (!obey(event, actions)) return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })
}

function obey(event: KeyboardEvent, actions: HistoryActions): boolean {
  const { key, shiftKey, altKey } = event
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const step = altKey ? 'minute' : shiftKey ? 'ten-seconds' : 'slot'
    actions.step(step, key === 'ArrowLeft' ? -1 : 1)
    return true
  }
  if (altKey) return false
  const [step, direction] = STEPS[key] ?? []
  if (step !== undefined && direction !== undefined) actions.step(step, direction)
  else if (key === ' ' || key === 'k') actions.togglePlay()
  else if (key === '-' || key === '+') actions.changeSpeed(key === '+' ? 1 : -1)
  else if (key === 'g') actions.goTo()
  else if (key === 'y') actions.copy()
  else return false
  return true
}

/** A field, a dialog or the browser takes the key; a button takes the space bar. */
function isForOthers({ target, key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || document.querySelector('dialog[open]') !== null) return true
  if (!(target instanceof HTMLElement)) return false
  // Arrows on the bar of the playhead are the same steps.
  if (target.dataset.playhead !== undefined) return false
  if (target.closest('input, textarea, select, [contenteditable]') !== null) return true
  return key === ' ' && target.closest('button, a, summary') !== null
}

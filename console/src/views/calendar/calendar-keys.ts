import type { KeyList } from '../keys-help.tsx'

export const CALENDAR_KEYS: KeyList = [
  ['Arrows, Home, End', 'another day or hour'],
  ['Enter', 'open the day or the hour'],
  ['Escape', 'close it again'],
]

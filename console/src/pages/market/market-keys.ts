import type { KeyList } from '../../views/keys-help.tsx'

export const SIDE_KEYS: KeyList = [['u, d', 'the token UP or DOWN']]

/** Of every tab that has a map and a ladder. */
export const MAP_KEYS: KeyList = [
  ...SIDE_KEYS,
  ['c', 'centre the prices of the map'],
  ['b', 'contrast of the map'],
  ['Arrows, on the map', 'a cross-hair that is read out'],
  ['Shift+Arrows, on the map', 'move the map'],
  ['+ −, on the map', 'zoom the time'],
  ['Page Up, Page Down, on the map', 'zoom the prices'],
  ['Wheel, Shift and wheel', 'zoom the time, the prices'],
  ['Drag, double click', 'move the map, fit it again'],
  ['Arrows, on the ladder', 'move the prices'],
]

import type { KeyboardEvent, RefObject } from 'react'

/** Moves the focus to a day or an hour of a calendar; to the calendar's own place for the Tab key when it has none. */
export function focusCell(within: ParentNode | null, cell?: string): void {
  const chosen = cell === undefined ? '[data-cell][tabindex="0"]' : `[data-cell="${CSS.escape(cell)}"]`
  within?.querySelector<HTMLElement>(chosen)?.focus()
}

/** Moves the focus to the cell that a key leads to; other keys do what they always do. */
export function cellKeys<Cell extends string | number>(
  grid: RefObject<HTMLElement | null>,
  next: (key: string) => Cell | undefined,
  onMove: (cell: Cell) => void,
): (event: KeyboardEvent) => void {
  return (event) => {
    const cell = next(event.key)
    if (cell === undefined) return
    event.preventDefault()
    onMove(cell)
    focusCell(grid.current, String(cell))
  }
}

import { type KeyboardEvent, type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { centsText, sizeText } from '../../words/market-texts.ts'
import controls from '../controls.module.css'
import { usePaint } from '../use-paint.ts'
import styles from './ladder.module.css'
import type { LadderChange } from './ladder-changes.ts'
import { type LadderBook, ladderRows, leavesRows, middleStep } from './ladder-rows.ts'

/** The book of a moment; live pages change it and tell. */
export interface LadderSource {
  readonly book: LadderBook | undefined
  /** Why the book must not be trusted; it is then shown at half strength. */
  readonly doubt: string | undefined
  /** Marks everything that is not a stored row. */
  readonly isAbout?: boolean
  /** What happened in the last ten seconds, by the number of the step; without it the column is left out. */
  changes?(step: number): ReadonlyMap<number, LadderChange>
  onChange(listener: () => void): () => void
}

interface LadderProps {
  readonly source: LadderSource
  /** The price step until the user chooses another one. */
  readonly step?: number
  /** Levels that an order would take are tinted. */
  readonly taken?: { readonly side: 'bid' | 'ask'; readonly worstPrice: number } | undefined
}

const ROWS = 25
const STEPS = [0.001, 0.005, 0.01, 0.05] as const
const USUAL_STEP = 0.01
const KEY_ROWS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }

/** Rows are fixed by price and move only when a best price leaves them, or on request. */
export function Ladder({ source, step: firstStep = USUAL_STEP, taken }: LadderProps): ReactNode {
  const [step, setStep] = useState(firstStep)
  const body = useRef<HTMLTableSectionElement>(null)
  const note = useRef<HTMLParagraphElement>(null)
  const top = useRef<number>(undefined)
  const most = Math.round(1 / step)
  const paint = useCallback(() => {
    const { book } = source
    const rows = body.current?.rows
    if (rows === undefined) return
    if (book !== undefined && (top.current === undefined || leavesRows(book, step, { top: top.current, count: ROWS })))
      top.current = centred(book, step, most)
    const changes = source.changes?.(step)
    paintRows(rows, { book, step, top: top.current ?? centredAt(Math.round(most / 2), most), taken, changes })
    body.current?.parentElement?.setAttribute('data-doubt', String(source.doubt !== undefined))
    const about = source.isAbout === true ? '≈ from the heat map' : ''
    if (note.current !== null) note.current.textContent = source.doubt ?? about
  }, [source, step, most, taken])
  usePaint(source, paint)
  const centre = (): void => {
    top.current = undefined
    paint()
  }
  const move = (by: number): void => {
    const to = (top.current ?? 0) + by
    top.current = Math.min(most, Math.max(ROWS - 1, to))
    paint()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = KEY_ROWS[event.key]
    if (by === undefined) return
    event.preventDefault()
    move(by)
  }
  const lines = useMemo(() => Array.from({ length: ROWS }, (_, index) => index), [])
  return (
    <div className={styles.ladder}>
      <div className={styles.head}>
        <h2>Ladder</h2>
        <select
          className={styles.step}
          aria-label="Price step of the ladder"
          value={step}
          onChange={({ target }) => {
            top.current = undefined
            setStep(Number(target.value))
          }}
        >
          {STEPS.map((each) => (
            <option key={each} value={each}>
              {`${Number((each * 100).toFixed(1))}¢`}
            </option>
          ))}
        </select>
        <button type="button" className={controls.plain} onClick={centre}>
          Centre
        </button>
      </div>
      {/* Its keys move the rows, so it needs the focus. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section aria-label="Order book" tabIndex={0} onKeyDown={onKeyDown}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Price</th>
              <th scope="col">Size</th>
              <th scope="col">Total</th>
              {source.changes !== undefined && (
                <th scope="col" title="Last 10 seconds: + added, − taken by trades, × cancelled">
                  10 s: + − ×
                </th>
              )}
            </tr>
          </thead>
          <tbody ref={body}>
            {lines.map((line) => (
              <tr key={line}>
                <th scope="row" />
                <td>
                  <i className={styles.bar} />
                  <span />
                </td>
                <td />
                {source.changes !== undefined && <td />}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p ref={note} className={styles.note} role="status" />
    </div>
  )
}

function centred(book: LadderBook, step: number, most: number): number | undefined {
  const middle = middleStep(book, step)
  return middle === undefined ? undefined : centredAt(middle, most)
}

/** The number of the first row, so that a step is in the middle and no row is outside of the prices. */
function centredAt(middle: number, most: number): number {
  return Math.min(most, Math.max(ROWS - 1, middle + Math.floor(ROWS / 2)))
}

interface Painted extends Pick<LadderProps, 'taken'> {
  readonly step: number
  readonly book: LadderBook | undefined
  readonly top: number
  readonly changes: ReadonlyMap<number, LadderChange> | undefined
}

/** Writes only what has changed: most rows stay as they are. */
function paintRows(
  elements: HTMLCollectionOf<HTMLTableRowElement>,
  { book, step, top, taken, changes }: Painted,
): void {
  const rows = book === undefined ? new Map() : ladderRows(book, step)
  const shown = Array.from({ length: elements.length }, (_, index) => rows.get(top - index))
  const largest = shown.reduce((size, row) => Math.max(size, row?.size ?? 0), 1)
  for (const [index, row] of shown.entries()) {
    const element = elements[index]
    const [price, size, total, change] = element?.cells ?? []
    if (element === undefined || price === undefined || size === undefined || total === undefined) continue
    const number = top - index
    write(price, number >= 0 ? centsText(number * step) : '')
    write(size.lastElementChild, row === undefined ? '' : sizeText(row.size))
    write(total, row === undefined ? '' : sizeText(row.total))
    write(change ?? null, changeText(changes?.get(number)))
    const bar = size.firstElementChild as HTMLElement | null
    bar?.style.setProperty('transform', `scaleX(${row === undefined ? 0 : (row.size / largest).toFixed(3)})`)
    mark(element, 'side', row?.side ?? '')
    mark(element, 'taken', String(row !== undefined && isTaken(row.side, number * step, taken)))
  }
}

function changeText(change: LadderChange | undefined): string {
  if (change === undefined) return ''
  const { added, taken, cancelled } = change
  const parts = [
    ['+', added],
    ['−', taken],
    ['×', cancelled],
  ] as const
  return parts
    .filter(([, size]) => size >= 1)
    .map(([sign, size]) => `${sign}${size < 1_000 ? Math.round(size) : `${(size / 1_000).toFixed(1)}k`}`)
    .join(' ')
}

function isTaken(side: 'bid' | 'ask', price: number, taken: LadderProps['taken']): boolean {
  if (taken === undefined || taken.side !== side) return false
  return side === 'ask' ? price <= taken.worstPrice + 1e-9 : price >= taken.worstPrice - 1e-9
}

function write(element: Element | null, text: string): void {
  if (element !== null && element.textContent !== text) element.textContent = text
}

function mark(element: HTMLElement, name: string, value: string): void {
  if (element.dataset[name] !== value) element.dataset[name] = value
}

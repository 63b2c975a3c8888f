import { type ReactNode, useCallback, useRef, useState } from 'react'
import { usePreferences } from '../../data/preferences.ts'
import { axisTimeText, centsText, sizeText } from '../../words/market-texts.ts'
import { usePaint } from '../use-paint.ts'
import styles from './tape.module.css'

interface TapeTrade {
  readonly id: string
  readonly atMs: number
  readonly side: 'UP' | 'DOWN'
  readonly action: 'buy' | 'sell'
  readonly price: number
  readonly size: number
}

interface TapeSource {
  /** Newest first. */
  readonly trades: readonly TapeTrade[]
  onChange(listener: () => void): () => void
}

const LEAST_SIZES = [0, 10, 100, 1_000] as const

/** The newest trades. It stands still while the pointer is over it, so that a row can be read. */
export function Tape({ source }: { readonly source: TapeSource }): ReactNode {
  const [trades, setTrades] = useState<readonly TapeTrade[]>(source.trades)
  const [leastSize, setLeastSize] = useState(0)
  const [isHeld, setHeld] = useState(false)
  const held = useRef(false)
  const { zone } = usePreferences()
  const paint = useCallback(() => {
    if (!held.current) setTrades(source.trades)
  }, [source])
  usePaint(source, paint)
  const hold = (isOver: boolean): void => {
    held.current = isOver
    setHeld(isOver)
    if (!isOver) paint()
  }
  const shown = trades.filter(({ size }) => size >= leastSize)
  return (
    <div className={styles.tape}>
      <div className={styles.head}>
        <h2>Trades</h2>
        <label>
          <span className={styles.hidden}>Smallest size of a trade</span>
          <select value={leastSize} onChange={({ target }) => setLeastSize(Number(target.value))}>
            {LEAST_SIZES.map((size) => (
              <option key={size} value={size}>
                {size === 0 ? 'all sizes' : `from ${size}`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ol
        className={styles.list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its rows are scrolled by keyboard
        tabIndex={0}
        aria-label="Trades, newest first"
        onPointerEnter={() => hold(true)}
        onPointerLeave={() => hold(false)}
      >
        {shown.map(({ id, atMs, side, action, price, size }) => (
          <li key={id} data-action={action}>
            <time>{axisTimeText(atMs, zone)}</time>
            <b>{action === 'buy' ? 'Buy' : 'Sell'}</b>
            <span>{side}</span>
            <span>{centsText(price)}</span>
            <span>{sizeText(size)}</span>
          </li>
        ))}
      </ol>
      <p className={styles.note}>{noteOf(shown.length, trades.length, isHeld)}</p>
    </div>
  )
}

function noteOf(shown: number, all: number, isHeld: boolean): string {
  if (isHeld && all > 0) return 'Stopped while the pointer is here'
  if (all === 0) return 'No trade is known yet'
  return shown === all ? '' : `${all - shown} smaller trades are hidden`
}

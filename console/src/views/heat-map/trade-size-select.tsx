import { type ReactNode, useState } from 'react'
import styles from './heat-map.module.css'
import type { HeatViewport } from './heat-viewport.ts'

const SIZES = [0, 10, 100, 1_000] as const

/** Smaller trades are not drawn on the map. */
export function TradeSizeSelect({ view }: { readonly view: HeatViewport }): ReactNode {
  const [size, setSize] = useState(view.leastTrade)
  const choose = (chosen: number): void => {
    setSize(chosen)
    view.leastTrade = chosen
    view.changed()
  }
  return (
    <select
      className={styles.select}
      aria-label="Smallest trade on the map"
      value={size}
      onChange={({ target }) => choose(Number(target.value))}
    >
      {SIZES.map((each) => (
        <option key={each} value={each}>
          {each === 0 ? 'all trades' : `trades from ${each}`}
        </option>
      ))}
    </select>
  )
}

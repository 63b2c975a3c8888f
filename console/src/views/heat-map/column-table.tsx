import type { ReactNode } from 'react'
import { centsText, sizeText } from '../../words/market-texts.ts'
import styles from './heat-map.module.css'
import type { HeatMapData } from './heat-map-data.ts'
import { sizeOfCode } from './size-code.ts'

export interface ColumnPlace {
  readonly level: number
  readonly number: number
}

interface Cell {
  readonly row: number
  readonly bid: number
  readonly ask: number
}

/** All sizes of one column of a heat map, for people who can't see colours. */
export function ColumnTable({ data, at }: { readonly data: HeatMapData; readonly at: ColumnPlace }): ReactNode {
  const form = data.levels[at.level]
  if (form === undefined) return null
  const sizeOf = (code: number): string => (code === 0 ? '' : `≈ ${sizeText(sizeOfCode(code, form.scale))}`)
  return (
    <table className={styles.column}>
      <thead>
        <tr>
          <th scope="col">Price</th>
          <th scope="col">Bid</th>
          <th scope="col">Ask</th>
        </tr>
      </thead>
      <tbody>
        {cellsOf(data, at).map(({ row, bid, ask }) => (
          <tr key={row}>
            <th scope="row">{centsText(form.priceFrom + row * form.priceStep)}</th>
            <td>{sizeOf(bid)}</td>
            <td>{sizeOf(ask)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** From the highest price down. */
function cellsOf(data: HeatMapData, { level, number }: ColumnPlace): Cell[] {
  const ring = data.rings[level]
  const place = ring?.placeOf(number)
  if (ring === undefined || place === undefined) return []
  const cells: Cell[] = []
  for (let row = ring.rows - 1; row >= 0; row--) {
    const bid = ring.bids[place * ring.rows + row] ?? 0
    const ask = ring.asks[place * ring.rows + row] ?? 0
    if (bid > 0 || ask > 0) cells.push({ row, bid, ask })
  }
  return cells
}

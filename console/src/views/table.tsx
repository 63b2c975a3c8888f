import type { ReactNode } from 'react'
import styles from './table.module.css'

export interface Column<Row> {
  readonly name: string
  readonly isNumber?: true
  readonly cell: (row: Row) => ReactNode
}

interface TableProps<Row> {
  /** For screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}

/** On small screens every row is a card. */
export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>): ReactNode {
  return (
    <table className={styles.table} aria-label={caption}>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" data-number={isNumber}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ name, isNumber, cell }) => (
              <td key={name} data-label={name} data-number={isNumber}>
                <span>{cell(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Solves a small system of linear equations; each row has the coefficients, then the value. */
export function solve(equations: readonly (readonly number[])[]): number[] {
  const rows = equations.map((row) => [...row])
  const size = rows.length
  for (let column = 0; column < size; column++) {
    const best = largestBelow(rows, column)
    const [pivot, other] = [rows[best] ?? [], rows[column] ?? []]
    rows[column] = pivot
    rows[best] = other
    for (const [index, row] of rows.entries()) {
      if (index === column) continue
      const factor = (row[column] ?? 0) / (pivot[column] ?? Number.NaN)
      for (let at = column; at <= size; at++) row[at] = (row[at] ?? 0) - factor * (pivot[at] ?? 0)
    }
  }
  return rows.map((row, index) => (row[size] ?? Number.NaN) / (row[index] ?? Number.NaN))
}

function largestBelow(rows: readonly (readonly number[])[], column: number): number {
  let best = column
  for (let index = column + 1; index < rows.length; index++)
    if (Math.abs(rows[index]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = index
  return best
}

export interface Line {
  readonly fixed: number
  readonly each: number
}

/** The line through two points. */
export function lineThrough([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): Line {
  const each = (y2 - y1) / (x2 - x1)
  return { fixed: y1 - each * x1, each }
}

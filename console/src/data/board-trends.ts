import type { Board } from './operator-types.ts'

export type Trend = 'sampled' | 'stored' | 'newest' | 'gaps' | 'unstored' | 'queued'

/** Values of the board at one time; null when the service could not tell. */
export type TrendPoint = Readonly<Record<Trend, number | null>> & { readonly at: string }

/** Two hours. */
const MOST_POINTS = 240

function trendPoint({ as_of: at, rates, lag, open_gaps: gaps }: Board): TrendPoint {
  return {
    at,
    sampled: rates.sampled_rows,
    stored: rates.stored_rows,
    newest: lag.newest_row_ms,
    gaps: gaps === null ? null : gaps.reduce((sum, { markets }) => sum + markets, 0),
    unstored: lag.unstored_messages,
    queued: lag.queued_bytes,
  }
}

/** With the newest values; an answer that is already there is not added again. */
export function withBoard(points: readonly TrendPoint[], board: Board): readonly TrendPoint[] {
  if (points.at(-1)?.at === board.as_of) return points
  return [...points, trendPoint(board)].slice(-MOST_POINTS)
}

/** Pieces of a line in a box of the given size. Where a value is unknown, the line is interrupted. */
export function linePieces(values: readonly (number | null)[], width: number, height: number): string[] {
  const known = values.filter((value) => value !== null)
  const top = Math.max(...known, 0)
  const step = values.length > 1 ? width / (values.length - 1) : 0
  const place = (value: number, index: number): string =>
    `${(index * step).toFixed(1)},${(top === 0 ? height : height - (value / top) * height).toFixed(1)}`
  const pieces: string[][] = [[]]
  for (const [index, value] of values.entries()) {
    if (value === null) pieces.push([])
    else pieces.at(-1)?.push(place(value, index))
  }
  return pieces.filter((piece) => piece.length > 1).map((piece) => piece.join(' '))
}

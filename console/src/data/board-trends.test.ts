import { expect, test } from 'vitest'
import { linePieces, type TrendPoint, withBoard } from './board-trends.ts'
import type { Board } from './operator-types.ts'

function boardAt(at: string, gaps: Board['open_gaps'] = []): Board {
  return {
    as_of: at,
    processes: [],
    shards: [],
    recorders: [],
    rates: { sampled_rows: 4, stored_rows: 8, newest_rows: 4 },
    plans: null,
    lag: { newest_row_ms: null, queued_bytes: 0, unstored_messages: 0, waiting_updates: 0 },
    open_gaps: gaps,
    dead_letters: null,
    errors: { since: null, counters: [] },
    notices: [],
  }
}

test('every answer is one point, and what is unknown stays unknown', () => {
  let points: readonly TrendPoint[] = []
  points = withBoard(points, boardAt('12:00', [{ cause: 'resync', markets: 3, since: '11:59' }]))
  points = withBoard(points, boardAt('12:00'))
  points = withBoard(points, boardAt('12:01', null))
  expect(points.map(({ at, gaps, newest }) => [at, gaps, newest])).toEqual([
    ['12:00', 3, null],
    ['12:01', null, null],
  ])
})

test('at most two hours are kept', () => {
  let points: readonly TrendPoint[] = []
  for (let minute = 0; minute < 300; minute++) points = withBoard(points, boardAt(String(minute)))
  expect([points.length, points[0]?.at]).toEqual([240, '60'])
})

test('a line begins at zero and is interrupted where nothing is known', () => {
  expect(linePieces([0, 10, 5], 100, 20)).toEqual(['0.0,20.0 50.0,0.0 100.0,10.0'])
  expect(linePieces([10, 10, null, 10, 10], 100, 20)).toEqual(['0.0,0.0 25.0,0.0', '75.0,0.0 100.0,0.0'])
  expect(linePieces([0, 0], 100, 20)).toEqual(['0.0,20.0 100.0,20.0'])
  expect(linePieces([7], 100, 20)).toEqual([])
  expect(linePieces([null, null], 100, 20)).toEqual([])
})

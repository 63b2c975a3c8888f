import { expect, test } from 'vitest'
import { rangeAskedFor } from './unrecorded-parts.ts'

const [STARTS, ENDS, NOW] = [1_000_000, 2_000_000, 9_000_000]
const market = { startsAtMs: STARTS, endsAtMs: ENDS }
const recorded = { fromMs: 1_200_000, toMs: 1_900_000 }

function asked(query: { from?: number; to?: number }) {
  return rangeAskedFor(query, { fromMs: 0, toMs: NOW, historyFromMs: undefined }, market, recorded, NOW)
}

test('without times a request is about the window and everything recorded', () => {
  expect(asked({})).toEqual({ fromMs: STARTS, toMs: ENDS })
})

test('a range never ends before it starts', () => {
  expect(asked({ from: 5_000_000 })).toEqual({ fromMs: 5_000_000, toMs: 5_000_000 })
  expect(asked({ to: 500_000 })).toEqual({ fromMs: 500_000, toMs: 500_000 })
  expect(asked({ from: 100, to: 200 })).toEqual({ fromMs: 100, toMs: 200 })
})

import { usualSize } from '@bookreel/simulator/world/roster'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { countFalseDoubts } from '../false-doubts.ts'

const SHOWN = 20

export const doubts = experiment({
  name: 'doubts',
  summary: 'How often the recorder doubts a book that is right: trades, ticks, split batches, settlements, no fault.',
  options: {
    trades: { description: 'trades to live through', default: 100_000, atLeast: 1 },
    markets: { description: 'markets of the simulated world', default: 200, atLeast: 20 },
    seed: { description: 'what the world is made from', default: 'bookreel' },
  },
  async run({ trades, markets, seed }, progress) {
    const startedAtMs = performance.now()
    const counts = await countFalseDoubts(trades, { size: usualSize(markets), seed }, (sofar) =>
      progress(`${sofar.trades} of ${trades} trades, ${sofar.doubts.length} doubts`),
    )
    const seconds = (performance.now() - startedAtMs) / 1000
    return {
      bounds: [
        bound('trades told', counts.trades, '>=', trades),
        bound('books doubted though right', counts.doubts.length, '<=', 0),
        bound('batches that were not proved at once', counts.unproved, '<=', 0),
        bound('things in frames not understood', counts.unknown.length, '<=', 0),
      ],
      series: {
        doubts: counts.doubts.slice(0, SHOWN),
        unknown: counts.unknown.slice(0, SHOWN),
        frames: [counts.frames],
        batches: [counts.batches],
        ticks: [counts.ticks],
        markets: [counts.markets],
        worldMinutes: [Math.round(counts.worldSeconds / 60)],
        framesPerSecond: [Math.round(counts.frames / seconds)],
      },
    }
  },
})

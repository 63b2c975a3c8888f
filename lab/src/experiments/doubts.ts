import { usualSize } from '@bookreel/simulator/world/roster'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { countFalseDoubts } from '../false-doubts.ts'

const SHOWN = 20

export const doubts = experiment({
  name: 'doubts',
  summary:
    'Counts how often the recorder doubts a correct book, over trades, tick changes, split batches and settlements.',
  options: {
    trades: { description: 'number of trades', default: 100_000, atLeast: 1 },
    markets: { description: 'number of simulated markets', default: 200, atLeast: 20 },
    seed: { description: 'seed of the simulated world', default: 'bookreel' },
  },
  async run({ trades, markets, seed }, progress) {
    const startedAtMs = performance.now()
    const counts = await countFalseDoubts(trades, { size: usualSize(markets), seed }, (sofar) =>
      progress(`${sofar.trades} of ${trades} trades, ${sofar.doubts.length} doubts`),
    )
    const seconds = (performance.now() - startedAtMs) / 1000
    return {
      bounds: [
        bound('trades received', counts.trades, '>=', trades),
        bound('correct books doubted', counts.doubts.length, '<=', 0),
        bound('batches not verified at once', counts.unproved, '<=', 0),
        bound('unknown content in frames', counts.unknown.length, '<=', 0),
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

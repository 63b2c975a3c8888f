import { setImmediate as nextTurn } from 'node:timers/promises'
import { random } from '@bookreel/simulator/world/random'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { memoryMbOf } from '../process-memory.ts'
import { FrameRun } from '../venue-frames/frame-run.ts'
import { hyperliquidFrames } from '../venue-frames/hyperliquid-frames.ts'
import { polymarketFrames } from '../venue-frames/polymarket-frames.ts'

const CHUNK = 20_000
/** Other work of the process waits for no more frames than this. */
const TURN = 200
/** The first part of the run fills caches. */
const WARM_SHARE = 0.2

export const venueFrames = experiment({
  name: 'venue-frames',
  summary:
    'Decodes changed frames of both venues and builds books from them, and checks that nothing crashes and no invalid book is published.',
  options: {
    frames: { description: 'number of changed frames', default: 10_000_000, atLeast: 100 },
    perps: { description: 'share of frames of the perpetual futures, in %', default: 25, atLeast: 0 },
    growthMb: { description: 'maximum memory growth of the process, in MB', default: 200, atLeast: 1 },
    minutes: { description: 'maximum duration in minutes', default: 60, atLeast: 0.1 },
    seed: { description: 'seed of the world and of the changes', default: 'bookreel' },
  },
  async run({ frames, perps, growthMb, minutes, seed }, progress) {
    const run = new FrameRun()
    const draw = random(seed, 'changes')
    const feeds = { perp: hyperliquidFrames(seed, draw, run), binary: polymarketFrames(seed, draw, run) }
    const memory: number[] = []
    const perSecond: number[] = []
    const fromMs = performance.now()
    const untilMs = fromMs + minutes * 60_000
    while (run.frames < frames && performance.now() < untilMs) {
      const startedMs = performance.now()
      const to = Math.min(frames, run.frames + CHUNK)
      const before = run.frames
      while (run.frames < to) {
        ;(draw.next() * 100 < perps ? feeds.perp : feeds.binary).next()
        if (run.frames % TURN === 0) await nextTurn()
      }
      perSecond.push(Math.round((run.frames - before) / ((performance.now() - startedMs) / 1_000)))
      memory.push(memoryMbOf(process.pid))
      progress(`${run.frames} of ${frames} frames, ${run.crashes} crashes, ${run.invalidBooks} invalid books`)
    }
    const seconds = (performance.now() - fromMs) / 1_000
    const warm = memory[Math.floor(memory.length * WARM_SHARE)] ?? 0
    return {
      bounds: [
        bound('changed frames', run.frames, '=', frames),
        bound('crashes', run.crashes, '<=', 0),
        bound('books published', run.books, '>=', 1),
        bound('invalid books published', run.invalidBooks, '<=', 0),
        bound('changes of prototypes', run.prototypeChanges, '<=', 0),
        bound('memory growth of the process', Math.max(...memory) - warm, '<=', growthMb, 'MB'),
      ],
      series: { perSecond, memoryMb: memory, counts: [run.counts], bad: run.bad },
      notes: [
        `${Math.round(run.frames / seconds)} frames a second, ${run.books} books checked, ${JSON.stringify(run.counts)}`,
        ...run.bad.map(({ venue, problem, frame }) => `${venue}: ${problem}\n  ${frame}`),
      ],
    }
  },
})

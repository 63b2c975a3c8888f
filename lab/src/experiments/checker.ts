import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { type Checker, createChecker } from '../polymarket/checker.ts'
import { faultKinds, plantFault } from '../polymarket/plant-fault.ts'
import { createTinyMarket, type TinyChange, type TinyMarket } from '../polymarket/tiny-market.ts'

const CHUNK = 1_000
const FAULTY_BATCH: TinyChange[] = [{ thousandths: 420, hundredths: 777_777 }]
const BATCH_AFTER: TinyChange[] = [{ thousandths: 380, hundredths: 999_999 }]

/** Other experiments rely on the checker, so it has its own experiment. */
export const checker = experiment({
  name: 'checker',
  summary:
    'Checks that the hash checker verifies correct Polymarket frames and detects injected faults; measures its speed.',
  options: {
    batches: { description: 'number of batches, each with both tokens', default: 100_000, atLeast: 1 },
    levels: { description: 'initial number of book levels', default: 60, atLeast: 2 },
    faults: { description: 'number of injected faults, one per book', default: 300, atLeast: 1 },
    pace: { description: 'minimum number of token batches verified per second', default: 7_000, atLeast: 1 },
    seed: { description: 'seed of the random numbers', default: 1, atLeast: 1 },
  },
  async run({ batches, levels, faults, pace, seed }, progress) {
    const random = createRandom(seed)
    const clean = proveClean(batches, levels, random, progress)
    progress('injecting faults')
    const found = findFaults(faults, levels, random)
    const tally = clean.tally
    return {
      bounds: [
        bound('mismatches of correct frames', tally.mismatches.length, '<=', 0),
        bound('batches verified', (100 * tally.provedBatches) / tally.batches, '>=', 100, '%'),
        bound('verifications that needed a search', tally.proofs.search, '<=', 0),
        bound('injected faults detected', (100 * found) / faults, '>=', 100, '%'),
        bound('token batches verified per second', tally.provedBatches / clean.seconds, '>=', pace),
      ],
      series: { batchesPerSecond: clean.batchesPerSecond, proofs: [tally.proofs] },
    }
  },
})

/** Frames are generated in chunks outside the measured time, so that memory stays small. */
function proveClean(batches: number, levels: number, random: Random, progress: Progress) {
  const market = createTinyMarket(levels)
  const proving = checkerOf(market)
  const batchesPerSecond: number[] = []
  let seconds = 0
  for (let done = 0; done < batches; done += CHUNK) {
    const chunk = Math.min(CHUNK, batches - done)
    const frames = done === 0 ? [market.first()] : []
    for (let each = 0; each < chunk; each++) frames.push(...randomBatch(market, random))
    const startedAtMs = performance.now()
    for (const frame of frames) proving.take(frame)
    if (done + chunk === batches) proving.finish()
    const chunkSeconds = (performance.now() - startedAtMs) / 1000
    seconds += chunkSeconds
    batchesPerSecond.push(Math.round((2 * chunk) / chunkSeconds))
    progress(`${done + chunk} of ${batches} batches`)
  }
  return { tally: proving.tally(), seconds, batchesPerSecond }
}

function randomBatch(market: TinyMarket, random: Random): string[] {
  if (random(50) === 0) return market.trade(random(2) === 0, random(2) === 0 ? 0 : 1)
  const changes: TinyChange[] = []
  // Single changes are the rule; some batches come in several frames.
  for (let left = random(10) === 0 ? 6 : 1; left > 0; left--) {
    const price = 190 + 10 * random(62)
    changes.push({ thousandths: price === 500 ? 490 : price, hundredths: random(20) === 0 ? 0 : 1 + random(1_000_000) })
  }
  return market.batch(changes, 3, random(3))
}

function findFaults(count: number, levels: number, random: Random): number {
  let found = 0
  for (let each = 0; each < count; each++) {
    const market = createTinyMarket(levels)
    const proving = checkerOf(market)
    const frames = [market.first()]
    for (let before = random(20); before > 0; before--) frames.push(...randomBatch(market, random))
    const kind = faultKinds[each % faultKinds.length] ?? 'dropped frame'
    frames.push(...plantFault(market.batch(FAULTY_BATCH, 1, 1), kind, 0), ...market.batch(BATCH_AFTER, 1, 1))
    for (const frame of frames) proving.take(frame)
    proving.finish()
    if (proving.tally().mismatches.length > 0) found += 1
  }
  return found
}

function checkerOf({ market, tokens }: TinyMarket): Checker {
  const facts = { market, minOrderSize: '5', negRisk: false, version: 'v1' } as const
  return createChecker({ facts: new Map(tokens.map((token) => [token, facts])) })
}

/** A whole number from 0 to below `end`. */
type Random = (end: number) => number

/** Park and Miller's generator: the same seed gives the same run on every machine. */
function createRandom(seed: number): Random {
  let state = seed % 2_147_483_647 || 1
  return (end) => {
    state = (state * 48_271) % 2_147_483_647
    return state % end
  }
}

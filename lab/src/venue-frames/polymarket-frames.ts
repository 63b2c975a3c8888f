import { Follower } from '@bookreel/service/capture/follower'
import { Recorder } from '@bookreel/service/capture/recorder'
import { sampledBinary } from '@bookreel/service/capture/sampled-binary'
import type { TickRows } from '@bookreel/service/capture/tick-rows'
import type { Market } from '@bookreel/service/domain/market'
import { polymarket } from '@bookreel/service/venues/polymarket/venue'
import { firstFrameOf, OfflineWorld } from '@bookreel/simulator/polymarket/offline-world'
import type { Market as SimulatedMarket } from '@bookreel/simulator/world/market'
import type { Random } from '@bookreel/simulator/world/random'
import { madeUpMarket } from '../made-up-market.ts'
import { bookProblem } from './book-problem.ts'
import type { FrameRun } from './frame-run.ts'
import { mutateFrame } from './mutate-frame.ts'

const STEP_MS = 250
const EPOCH_STEPS = 400
/** Some frames arrive unchanged, so that there are proved books that mutated frames can damage. */
const CHANGED = 0.9
const COPIES = 6
const NO_ADDRESSES = { gammaUrl: '', clobUrl: '', socketUrl: '' }

/** Feeds a follower with the frames of a simulated world and many changed copies, and checks the rows of every tick. */
export function* polymarketFrames(seed: string, draw: Random, run: FrameRun): Generator<void> {
  for (let epoch = 0; ; epoch++) yield* oneWorld(`${seed} ${epoch}`, draw, run)
}

/** A new world after a while, so that what one market collects does not grow without end. */
function* oneWorld(seed: string, draw: Random, run: FrameRun): Generator<void> {
  let nowMs = 0
  let last = '{}'
  let waiting: string[] = []
  const recorder = new Recorder({
    nowMs: () => nowMs,
    shardOf: () => 'polymarket.0',
    publish: (_, __, rows) => check(rows, run),
  })
  const follower = new Follower({
    venue: polymarket(NO_ADDRESSES),
    nowMs: () => nowMs,
    onTrade: (trade) => recorder.trade(trade),
    onResolved: () => run.count('resolutions'),
    onProblem: ({ kind }) => run.count(kind),
    onDoubt: () => run.count('doubts'),
  })
  const offline = new OfflineWorld({ seed }, ({ market, frames }) => {
    if (follower.markets.has(market.conditionId)) waiting.push(...frames)
  })
  recorder.hold('polymarket.0')
  const known = [...offline.world.markets.values()].filter(({ phase }) => phase === 'trading')
  known.forEach((market, index) => {
    recorder.add(sampledBinary(follower.add(marketOf(market, index)), () => undefined))
  })
  nowMs = offline.world.nowMs
  for (const market of known) follower.frame(firstFrameOf(market), nowMs)
  for (let step = 1; step <= EPOCH_STEPS; step++) {
    nowMs += STEP_MS
    offline.world.advance(nowMs)
    for (const text of waiting) {
      for (let copy = 0; copy < COPIES; copy++) {
        const changed = mutateFrame(text, last, draw)
        run.frame('polymarket', changed, () => follower.frame(changed, nowMs))
        yield
      }
      if (!draw.chance(CHANGED)) follower.frame(text, nowMs)
      last = text
    }
    waiting = []
    // The venue answers a new subscription with whole books.
    for (const market of known) {
      const followed = follower.markets.get(market.conditionId)
      if (followed?.book.proved === undefined) follower.frame(firstFrameOf(market), nowMs)
    }
    recorder.tick(Math.floor(nowMs / STEP_MS) * STEP_MS)
  }
}

function check({ snapshots }: TickRows, run: FrameRun): void {
  for (const snapshot of snapshots) run.published(bookProblem(snapshot))
}

function marketOf({ conditionId, tokenIds, event, version }: SimulatedMarket, index: number): Market {
  const made = madeUpMarket('frames', index, event.endMs)
  const facts = { ...made.facts, negRisk: event.negRisk, version }
  return { ...made, id: conditionId, tokenIds: [...tokenIds], facts }
}

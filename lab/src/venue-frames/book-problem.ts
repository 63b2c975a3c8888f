import { PRICE_ONE } from '@bookreel/service/domain/book'
import type { PerpSnapshot } from '@bookreel/service/domain/rows/perp-snapshot'
import { SNAPSHOT_FLAGS, type Snapshot } from '@bookreel/service/domain/rows/snapshot'

interface AnyLevel {
  readonly price: number
  readonly size: number
}

const PROVED = SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown

/** What is wrong with a published book; undefined when it is valid. Written without the rules of the service. */
export function bookProblem({ up, down, flags, marketId }: Snapshot): string | undefined {
  for (const { bids, asks } of [up, down]) {
    const problem = sideProblem(bids, -1, PRICE_ONE) ?? sideProblem(asks, 1, PRICE_ONE)
    if (problem !== undefined) return problem
    const isCrossed = (bids[0]?.price ?? 0) >= (asks[0]?.price ?? Number.POSITIVE_INFINITY)
    if (isCrossed && (flags & SNAPSHOT_FLAGS.crossed) === 0) return 'crossed without the flag'
  }
  if ((flags & PROVED) === 0) return 'neither side is proved'
  return /^0x[0-9a-f]{64}$/.test(marketId) ? undefined : 'no market id'
}

export function perpProblem({ ladders, touch, eventAtMs }: PerpSnapshot): string | undefined {
  const { bidPrice, bidSize, askPrice, askSize } = touch
  if (![bidPrice, bidSize, askPrice, askSize, eventAtMs].every(isCount)) return 'a touch that is no whole number'
  return (
    sideProblem(ladders.bids, -1, Number.POSITIVE_INFINITY) ?? sideProblem(ladders.asks, 1, Number.POSITIVE_INFINITY)
  )
}

function sideProblem(levels: readonly AnyLevel[], direction: 1 | -1, below: number): string | undefined {
  let before: number | undefined
  for (const { price, size } of levels) {
    if (!isCount(price) || price === 0 || price >= below) return `price ${price}`
    if (!isCount(size)) return `size ${size}`
    if (before !== undefined && (price - before) * direction <= 0) return 'levels out of order'
    before = price
  }
  return undefined
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

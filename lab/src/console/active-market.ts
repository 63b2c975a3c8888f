import { mirrorOf } from '@bookreel/service/domain/book'
import { SNAPSHOT_FLAGS, type Snapshot } from '@bookreel/service/domain/rows/snapshot'
import { random } from '@bookreel/simulator/world/random'

/** Of each side. */
const LEVELS = 100
/** 0.001, so that so many levels fit beside each other. */
const TICK = 10
const [LEAST_TICKS, MOST_TICKS] = [300, 700]
/** Of all levels, with every slot. */
const CHANGED_SHARE = 0.2
const SHARE_UNITS = 1_000_000
const PROVED = SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown | SNAPSHOT_FLAGS.mirrored

/** Books as deep and as restless as the page must be able to show. Times and ids are those of whoever stores them. */
export function* activeBooks(slots: number): Generator<readonly { readonly snapshot: Snapshot }[]> {
  const draw = random('console', 'active market')
  const newSize = (): number => Math.round(10 ** (1 + 2.7 * draw.next())) * SHARE_UNITS
  const sizes = new Map<number, number>()
  const levelAt = (ticks: number) => {
    const size = draw.chance(CHANGED_SHARE) ? newSize() : (sizes.get(ticks) ?? newSize())
    sizes.set(ticks, size)
    return { price: ticks * TICK, size }
  }
  let middle = 500
  for (let slot = 0; slot < slots; slot++) {
    middle = Math.min(MOST_TICKS, Math.max(LEAST_TICKS, middle + draw.whole(-2, 2)))
    const bids = Array.from({ length: LEVELS }, (_, level) => levelAt(middle - 1 - level))
    const asks = Array.from({ length: LEVELS }, (_, level) => levelAt(middle + 1 + level))
    yield [{ snapshot: { ...EMPTY, up: { bids, asks }, down: mirrorOf({ bids, asks }) } }]
  }
}

const EMPTY = {
  marketId: '',
  slot: 0,
  intervalMs: 250,
  capturedAtMs: 0,
  eventAtMs: 0,
  receivedAtMs: 0,
  flags: PROVED,
  spotPrice: 0,
  spotAgeMs: 0,
  changes: 1,
}

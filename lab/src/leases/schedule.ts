import { createHash } from 'node:crypto'
import type { SampledMarket } from '@bookreel/service/capture/sampled-market'
import { type Random, random } from '@bookreel/simulator/world/random'
import { VirtualBus } from './virtual-bus.ts'
import { SHARDS, START_MS, TICK_MS, TTL_MS, VirtualRecorder } from './virtual-recorder.ts'
import { VirtualTime } from './virtual-time.ts'

/**
 * - `calm`: one trouble at a time, with a standby: no slot may be missing.
 * - `alone`: recorders without standbys are killed: slots are missing for as long as a lease lasts.
 * - `wild`: anything at any time, also cut-off recorders: nothing may be lost in silence.
 */
const KINDS = ['calm', 'alone', 'wild'] as const
type Kind = (typeof KINDS)[number]

export interface Scene {
  readonly seed: number
  readonly kind: Kind
  readonly bus: VirtualBus
  readonly markets: readonly SampledMarket[]
  readonly living: readonly VirtualRecorder[]
  readonly endedAtMs: number
  readonly troubles: readonly string[]
}

/** A recorder that joins needs this long to be ready for its shards, and those shards some time to move. */
const SETTLED_MS = 16_000
const QUIET_MS = 25_000
const MARKETS = SHARDS * 3

/** Plays one schedule of recorders that come, go, die, stop and lose their connection. The seed decides everything. */
export async function playSchedule(seed: number): Promise<Scene> {
  const draw = random(seed, 'schedule')
  const kind = KINDS[seed % KINDS.length] ?? 'wild'
  const time = new VirtualTime()
  const bus = new VirtualBus(time, TTL_MS)
  const markets = Array.from({ length: MARKETS }, (_, number) => marketOf(`${seed} ${number}`))
  const standbys = kind === 'alone' ? 0 : 1
  const recorders: VirtualRecorder[] = []
  const troubles: string[] = []
  const join = (): void => {
    const name = `recorder-${recorders.length}`
    recorders.push(
      new VirtualRecorder({ name, time, bus, random: draw, capacity: draw.pick([1, 1, 2]), standbys, markets }),
    )
  }
  const living = (): VirtualRecorder[] => recorders.filter(({ isDead }) => !isDead)
  const fewest = kind === 'wild' ? 1 : 2
  for (let count = draw.whole(2, 4); count > 0; count--) join()
  let atMs = SETTLED_MS
  await time.runUntil(atMs)
  for (let count = draw.whole(2, 5); count > 0; count--) {
    const one = draw.pick(living())
    const trouble = troubleOf(kind, draw, living().length > fewest)
    troubles.push(`${(atMs / 1_000).toFixed(1)} s ${trouble} ${one.name}`)
    if (trouble === 'join') join()
    else if (trouble === 'kill') one.kill()
    else if (trouble === 'leave') one.leave()
    // A shorter pause ends before another recorder may take the shards.
    else if (trouble === 'pause') one.pause(draw.whole(kind === 'wild' ? 500 : 4_500, 9_000))
    else one.cutOff(draw.whole(200, 9_000))
    atMs += kind === 'wild' ? draw.whole(100, 12_000) : 10_000 + SETTLED_MS
    await time.runUntil(atMs)
  }
  atMs += QUIET_MS
  await time.runUntil(atMs)
  return { seed, kind, bus, markets, living: living(), endedAtMs: START_MS + atMs, troubles }
}

type Trouble = 'join' | 'kill' | 'leave' | 'pause' | 'cut off'

function troubleOf(kind: Kind, draw: Random, mayEnd: boolean): Trouble {
  if (kind === 'alone') return mayEnd ? draw.pick(['kill', 'join']) : 'join'
  const gentle: Trouble[] = ['join', 'pause', ...(mayEnd ? (['kill', 'leave'] as const) : [])]
  return draw.pick(kind === 'wild' ? [...gentle, 'cut off'] : gentle)
}

/** A market with the same book at every slot. */
function marketOf(name: string): SampledMarket {
  const id = `0x${createHash('sha256').update(name).digest('hex')}`
  const none = { bids: [], asks: [] }
  return {
    id,
    intervalMs: TICK_MS,
    settle: () => [],
    takeLosses: () => [],
    sample: (slot, capturedAtMs) => ({
      snapshot: {
        marketId: id,
        slot,
        intervalMs: TICK_MS,
        capturedAtMs,
        eventAtMs: capturedAtMs,
        receivedAtMs: capturedAtMs,
        flags: 0,
        spotPrice: 0,
        spotAgeMs: 0,
        changes: 0,
        up: none,
        down: none,
      },
    }),
  }
}

import { expect, test } from 'vitest'
import { ApiError } from '../../src/domain/api-error.ts'
import type { Gap } from '../../src/domain/rows/gap.ts'
import { perpMarketId } from '../../src/domain/rows/perp-snapshot.ts'
import type { TimeRange } from '../../src/domain/time-range.ts'
import { tradeChannel } from '../../src/gateway/channels/trade.ts'
import { perpRowOf } from '../../src/gateway/frames/stream-row.ts'
import type { Told } from '../../src/gateway/frames/told.ts'
import type { GatewayMeter } from '../../src/gateway/gateway-metrics.ts'
import type { Hub } from '../../src/gateway/markets/hub.ts'
import { LiveMarket } from '../../src/gateway/markets/live-market.ts'
import { streamPerpOf } from '../../src/gateway/markets/stream-market.ts'
import { CatchUp } from '../../src/gateway/replay/catch-up.ts'
import { perpTradeRow, tapeBookRow } from '../http/tape-scene.ts'

const MARKET = streamPerpOf('BTC')
const { intervalMs } = MARKET
const SINCE = 3_600_000

const rowAt = (seq: number) => perpRowOf(tapeBookRow('BTC', seq * intervalMs))
const toldAt = (receivedAtMs: number): Told => ({ kind: 'trade', row: perpTradeRow('BTC', receivedAtMs - 40) })
const idOf = (receivedAtMs: number): number => receivedAtMs - 40

interface Scene {
  readonly storedSeqs?: readonly number[]
  readonly storedTold?: readonly Told[]
  readonly gaps?: readonly Gap[]
  readonly beforeTold?: () => void
  readonly beforeRows?: () => void
  /** How many frames fit until the client reads. */
  readonly fits?: number
}

/** A market with rows in the store; the test says what the bus has brought since the subscription. */
function sceneOf(of: Scene) {
  const { storedSeqs = [], storedTold = [], gaps = [], beforeTold, beforeRows, fits = Number.POSITIVE_INFINITY } = of
  let nowMs = SINCE * intervalMs
  let waiting = 0
  let mostWaiting = 0
  const frames: { readonly trade_id: number; readonly type: string }[] = []
  const troubles: unknown[] = []
  const signal = new AbortController().signal
  const read = async (_: unknown, { fromSlot, toSlot }: { fromSlot: number; toSlot: number }) => {
    beforeRows?.()
    return { rows: storedSeqs.filter((seq) => seq >= fromSlot && seq <= toSlot).map(rowAt), gaps }
  }
  const told = async (_: unknown, { fromMs, toMs }: TimeRange) => {
    beforeTold?.()
    return storedTold.filter(({ row }) => row.receivedAtMs >= fromMs && row.receivedAtMs < toMs)
  }
  const ringBudget = { maxBytes: 1e9, usedBytes: 0 }
  const onTrouble = (error: unknown): void => void troubles.push(error)
  const meter = { dropped: () => {}, healed: () => {} } as unknown as GatewayMeter
  const live = new LiveMarket(MARKET, { store: { read }, ringBudget, meter, nowMs: () => nowMs, onTrouble, signal })
  const hub = { market: () => live, add: (stream: never) => void live.streams.add(stream) } as unknown as Hub
  const outlet = {
    get isFull() {
      return waiting >= fits
    },
    send: (frame: Buffer | string) => {
      waiting++
      mostWaiting = Math.max(mostWaiting, waiting)
      frames.push(JSON.parse(String(frame)))
    },
  }
  let rounds = 0
  const untilRead = async (): Promise<void> => {
    waiting = 0
    // Without a pause in between, a test could not time out.
    if (++rounds > 10_000) throw new Error('the catch-up does not end')
  }
  const deps = {
    hub,
    store: { read, told },
    nowMs: () => nowMs,
    isFull: () => outlet.isFull,
    isWanted: () => true,
    untilRead,
    onTrouble,
  }
  const stream = tradeChannel.open(MARKET, outlet, {} as never)
  const run = () => new CatchUp(deps, MARKET, [stream], SINCE).run(signal)
  const passes = (ms: number): void => {
    nowMs += ms
  }
  return { live, frames, troubles, run, passes, mostWaiting: () => mostWaiting }
}

const idsOf = (frames: readonly { readonly trade_id: number }[]): number[] => frames.map(({ trade_id: id }) => id)

test('trades of a hole are sent, although rows continue from memory after it', async () => {
  const inHole = (SINCE + 2) * intervalMs
  const gap = { marketId: perpMarketId('hyperliquid', 'BTC'), intervalMs, fromSlot: SINCE + 1, toSlot: SINCE + 4 }
  const gaps: Gap[] = [{ ...gap, knownAtSlot: SINCE + 1, cause: 'disconnected', kind: 'missing', detail: '' }]
  const scene = sceneOf({ gaps, storedTold: [toldAt(inHole)] })
  scene.live.row(rowAt(SINCE + 5))
  await scene.run()
  expect(idsOf(scene.frames)).toEqual([idOf(inHole)])
  expect(scene.live.streams.size).toBe(1)
})

test('a hole that nobody explains in time is told to a client of trades: they may come later still', async () => {
  const scene = sceneOf({ beforeRows: () => scene.passes(5_001) })
  scene.live.row(rowAt(SINCE + 5))
  await scene.run()
  expect(scene.frames).toMatchObject([{ type: 'skipped', from_seq: SINCE + 1, to_seq: SINCE + 4, frames: 0 }])
  expect(scene.live.streams.size).toBe(1)
})

test('trades that a late tick has published after the time of its slot are sent, each once', async () => {
  const late = (SINCE + 2) * intervalMs + intervalMs - 1
  const early = (SINCE + 2) * intervalMs - 1
  const scene = sceneOf({ storedSeqs: [SINCE + 1, SINCE + 2], storedTold: [toldAt(early), toldAt(late)] })
  scene.live.row(rowAt(SINCE + 3))
  scene.live.told(toldAt((SINCE + 3) * intervalMs + 1))
  await scene.run()
  expect(idsOf(scene.frames)).toEqual([early, late, (SINCE + 3) * intervalMs + 1].map(idOf))
})

test('a failed read of trades is tried again', async () => {
  let failures = 2
  const at = (SINCE + 1) * intervalMs
  const beforeTold = (): void => {
    if (failures-- > 0) throw new Error('ECONNREFUSED')
  }
  const scene = sceneOf({ storedSeqs: [SINCE + 1], storedTold: [toldAt(at)], beforeTold })
  scene.live.row(rowAt(SINCE + 2))
  await scene.run()
  expect(idsOf(scene.frames)).toEqual([idOf(at)])
  expect(scene.troubles).toHaveLength(2)
})

test('when trades can’t be read for 15 seconds the catch-up fails, and no live trade hides it', async () => {
  const beforeTold = (): void => {
    scene.passes(5_001)
    throw new Error('ECONNREFUSED')
  }
  const scene = sceneOf({ storedSeqs: [SINCE + 1], beforeTold })
  scene.live.row(rowAt(SINCE + 2))
  await expect(scene.run()).rejects.toThrow('ECONNREFUSED')
  expect(scene.live.streams.size).toBe(0)
})

test('many trades, from the store and from memory, wait for the reader and none is skipped', async () => {
  const stored = Array.from({ length: 1_000 }, (_, index) => (SINCE + 1) * intervalMs - 450 + index / 10)
  const recent = Array.from({ length: 1_000 }, (_, index) => (SINCE + 2) * intervalMs - 450 + index / 10)
  const scene = sceneOf({ storedSeqs: [SINCE + 1], storedTold: stored.map(toldAt), fits: 10 })
  for (const at of recent) scene.live.told(toldAt(at))
  scene.live.row(rowAt(SINCE + 2))
  await scene.run()
  expect(idsOf(scene.frames)).toEqual([...stored, ...recent].map(idOf))
  expect(scene.mostWaiting()).toBe(10)
})

test('while its account reads too much at once or in a minute the catch-up waits, and tells nobody of lost rows', async () => {
  let refusals = 3
  const at = (SINCE + 1) * intervalMs
  const beforeRows = (): void => {
    if (refusals-- <= 0) return
    scene.passes(5_001)
    throw new ApiError('overloaded', 'Too many reads wait.')
  }
  let refusalsOfTold = 3
  const beforeTold = (): void => {
    if (refusalsOfTold-- <= 0) return
    scene.passes(5_001)
    throw new ApiError('rate_limited', 'The account has read enough in this minute.')
  }
  const scene = sceneOf({ storedSeqs: [SINCE + 1], storedTold: [toldAt(at)], beforeRows, beforeTold })
  scene.live.row(rowAt(SINCE + 2))
  await scene.run()
  expect(scene.frames.map(({ type }) => type)).not.toContain('skipped')
  expect(idsOf(scene.frames)).toEqual([idOf(at)])
  expect(scene.troubles).toEqual([])
})

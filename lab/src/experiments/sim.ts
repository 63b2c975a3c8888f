import { setTimeout as sleep } from 'node:timers/promises'
import { hashesOf } from '@bookreel/simulator/polymarket/frames'
import { CHANGES_PER_SECOND } from '@bookreel/simulator/world/market'
import type { WorldSize } from '@bookreel/simulator/world/roster'
import { World, type WorldOptions } from '@bookreel/simulator/world/world'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { percentile } from '../percentile.ts'
import { AllMarketClient, type SocketRecord } from '../polymarket/all-market-client.ts'
import { discoverMarkets } from '../polymarket/discover-tokens.ts'
import { cpuSecondsOf } from '../process-cpu.ts'
import { SimulatorProcess } from '../simulator-process.ts'

/** For everything sent before the end to arrive. */
const DRAIN_LIMIT_S = 60

export const sim = experiment({
  name: 'sim',
  summary: 'Checks that a client of all markets receives every batch; measures the CPU use of the simulator.',
  options: {
    markets: { description: 'number of simulated markets', default: 2_000, atLeast: 20 },
    seconds: { description: 'duration in seconds', default: 60, atLeast: 1 },
    core: { description: 'maximum CPU use of the simulator, in % of one core', default: 70, atLeast: 1 },
    lagMs: { description: 'maximum p99 latency of a change frame, in ms', default: 250, atLeast: 1 },
    seed: { description: 'seed of the simulated world', default: 'bookreel' },
    tape: {
      description: 'seconds of frames written ahead of time, longer than the run; 0: none',
      default: 0,
      atLeast: 0,
    },
  },
  async run({ markets, seconds, core, lagMs, seed, tape }, progress) {
    const args = ['--markets', String(markets), '--seed', seed, '--tape', String(tape)]
    await using simulator = await SimulatorProcess.start(args)
    progress('discovering all markets')
    const found = await discoverMarkets(simulator.addresses.gamma)
    const client = await AllMarketClient.open(simulator.addresses.marketSocket, found)

    const framesPerSecond: number[] = []
    const megabytesPerSecond: number[] = []
    const cpuPercent: number[] = []
    const startedAtMs = performance.now()
    const cpuBefore = cpuSecondsOf(simulator.pid)
    client.lagsMs.length = 0
    for (let second = 0; second < seconds; second++) {
      const [frames, bytes, cpu] = [client.frames, client.bytes, cpuSecondsOf(simulator.pid)]
      await sleep(Math.max(0, startedAtMs + (second + 1) * 1000 - performance.now()))
      framesPerSecond.push(client.frames - frames)
      megabytesPerSecond.push((client.bytes - bytes) / 1e6)
      cpuPercent.push(Math.round(100 * (cpuSecondsOf(simulator.pid) - cpu)))
      progress(`${second + 1} of ${seconds} s, ${client.frames} frames, simulator at ${cpuPercent.at(-1)} % of a core`)
    }
    const cpuShare = (100 * (cpuSecondsOf(simulator.pid) - cpuBefore)) / ((performance.now() - startedAtMs) / 1000)
    const world = await simulator.world()
    if (tape > 0) await simulator.requireTape(world.nowMs)
    progress('computing the expected batches')
    const truth = batchesOf(world, world.nowMs)
    let compared = compareAll(client.records, truth, world.nowMs)
    for (let second = 0; second < DRAIN_LIMIT_S && compared.missing > 0; second++) {
      await sleep(1_000)
      compared = compareAll(client.records, truth, world.nowMs)
    }
    client.close()
    const { expected, missing, surplus } = compared
    return {
      bounds: [
        bound(
          'tokens subscribed',
          client.records.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0),
          '>=',
          2 * markets,
        ),
        bound('token batches expected', expected, '>=', Math.floor(0.9 * seconds * batchesPerSecond(world.size) * 2)),
        bound('expected token batches not received or not verified', missing, '<=', 0),
        bound('received token batches that were not expected', surplus, '<=', 0),
        bound('CPU use of the simulator', Math.round(cpuShare * 10) / 10, '<', core, '%'),
        bound('latency of a change frame, p99', percentile(client.lagsMs, 0.99), '<=', lagMs, 'ms'),
      ],
      series: { framesPerSecond, megabytesPerSecond, cpuPercent, mix: [world.size] },
    }
  },
})

function batchesPerSecond(size: WorldSize): number {
  return (
    size.hot * CHANGES_PER_SECOND.hot + size.medium * CHANGES_PER_SECOND.medium + size.cold * CHANGES_PER_SECOND.cold
  )
}

/** `timestamp:hash` of every batch by token; the same seed gives the same batches. */
function batchesOf(options: WorldOptions, untilMs: number): Map<string, string[]> {
  const batches = new Map<string, string[]>()
  const world = new World(options, (happening) => {
    if (happening.kind !== 'batch') return
    const { market, atMs } = happening
    const hashes = hashesOf(market, atMs)
    for (const outcome of [0, 1] as const) {
      const keys = batches.get(market.tokenIds[outcome]) ?? []
      keys.push(`${atMs}:${hashes[outcome]}`)
      batches.set(market.tokenIds[outcome], keys)
    }
  })
  world.advance(untilMs)
  return batches
}

function compareAll(records: readonly SocketRecord[], truth: Map<string, string[]>, untilMs: number) {
  let expected = 0
  let missing = 0
  let surplus = 0
  for (const { checker, tokenIds, firstBooks } of records) {
    for (const token of tokenIds) {
      const sent = afterBook(truth.get(token) ?? [], firstBooks.get(token) ?? '')
      const seen = new Set(checker.provedKeys(token).filter((key) => Number.parseInt(key, 10) <= untilMs))
      expected += sent.length
      missing += sent.filter((key) => !seen.has(key)).length
      surplus += seen.size - sent.filter((key) => seen.has(key)).length
    }
  }
  return { expected, missing, surplus }
}

/** Batches after the first book, found by its hash, or by its time when something other than a batch changed it. */
function afterBook(batches: readonly string[], firstBook: string): readonly string[] {
  const position = batches.indexOf(firstBook)
  if (position >= 0) return batches.slice(position + 1)
  return batches.filter((key) => Number.parseInt(key, 10) > Number.parseInt(firstBook, 10))
}

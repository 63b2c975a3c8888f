import { setTimeout as sleep } from 'node:timers/promises'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { AllMarketClient } from '../polymarket/all-market-client.ts'
import { discoverMarkets } from '../polymarket/discover-tokens.ts'
import type { ProofKind } from '../polymarket/tally.ts'
import { SimulatorProcess } from '../simulator-process.ts'

const PROOF_KINDS: readonly ProofKind[] = ['stated', 'oldValue', 'touchedLevel', 'tradeEvent', 'search']

export const hash = experiment({
  name: 'hash',
  summary: 'Whether every hash the simulator publishes recomputes from the book that a client holds.',
  options: {
    batches: { description: 'change batches to check, each of both tokens', default: 100_000, atLeast: 1 },
    markets: { description: 'markets of the simulated world', default: 2_000, atLeast: 20 },
    seed: { description: 'what the world is made from', default: 'bookreel' },
  },
  async run({ batches, markets, seed }, progress) {
    await using simulator = await SimulatorProcess.start(['--markets', String(markets), '--seed', seed])
    progress('finding all markets')
    const found = await discoverMarkets(simulator.addresses.gamma)
    const client = await AllMarketClient.open(simulator.addresses.marketSocket, found)
    const startedAtMs = performance.now()
    while (client.tokenBatches < 2 * batches) {
      progress(`${Math.floor(client.tokenBatches / 2)} of ${batches} batches`)
      await sleep(200)
    }
    const seconds = (performance.now() - startedAtMs) / 1000
    client.close()

    const tallies = client.records.map(({ checker }) => checker.tally())
    const sum = (count: (tally: (typeof tallies)[number]) => number): number =>
      tallies.reduce((total, tally) => total + count(tally), 0)
    const proofs = Object.fromEntries(PROOF_KINDS.map((kind) => [kind, sum((tally) => tally.proofs[kind])]))
    return {
      bounds: [
        bound('batches checked', Math.floor(sum((tally) => tally.batches) / 2), '>=', batches),
        bound(
          'hashes that did not recompute',
          sum((tally) => tally.mismatches.length),
          '<=',
          0,
        ),
        bound(
          'token batches proved',
          (100 * sum((tally) => tally.provedBatches)) / sum((tally) => tally.batches),
          '>=',
          100,
          '%',
        ),
        bound(
          'full books proved',
          (100 * sum((tally) => tally.provedBooks)) / sum((tally) => tally.books),
          '>=',
          100,
          '%',
        ),
        bound(
          'full books',
          sum((tally) => tally.books),
          '>=',
          2 * found.length,
        ),
        bound(
          'proofs that needed a search for the last trade',
          sum((tally) => tally.proofs.search),
          '<=',
          0,
        ),
        bound(
          'echoed tops that were not the top',
          sum((tally) => tally.wrongTops),
          '<=',
          0,
        ),
        bound(
          'events against the documented shape',
          sum((tally) => tally.problemCount),
          '<=',
          0,
        ),
      ],
      series: { proofs: [proofs], batchesPerSecond: [Math.round(sum((tally) => tally.batches) / 2 / seconds)] },
    }
  },
})

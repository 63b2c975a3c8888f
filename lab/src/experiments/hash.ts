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
  summary: 'Checks that every hash the simulator publishes matches the book that a client maintains.',
  options: {
    batches: { description: 'number of change batches, each with both tokens', default: 100_000, atLeast: 1 },
    markets: { description: 'number of simulated markets', default: 2_000, atLeast: 20 },
    seed: { description: 'seed of the simulated world', default: 'bookreel' },
  },
  async run({ batches, markets, seed }, progress) {
    await using simulator = await SimulatorProcess.start(['--markets', String(markets), '--seed', seed])
    progress('discovering all markets')
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
          'hashes that do not match the book',
          sum((tally) => tally.mismatches.length),
          '<=',
          0,
        ),
        bound(
          'token batches verified',
          (100 * sum((tally) => tally.provedBatches)) / sum((tally) => tally.batches),
          '>=',
          100,
          '%',
        ),
        bound(
          'full books verified',
          (100 * sum((tally) => tally.provedBooks)) / sum((tally) => tally.books),
          '>=',
          100,
          '%',
        ),
        bound(
          'full books received',
          sum((tally) => tally.books),
          '>=',
          2 * found.length,
        ),
        bound(
          'verifications that needed a search for the last trade price',
          sum((tally) => tally.proofs.search),
          '<=',
          0,
        ),
        bound(
          'best prices in frames that differ from the book',
          sum((tally) => tally.wrongTops),
          '<=',
          0,
        ),
        bound(
          'events that violate the documented format',
          sum((tally) => tally.problemCount),
          '<=',
          0,
        ),
      ],
      series: { proofs: [proofs], batchesPerSecond: [Math.round(sum((tally) => tally.batches) / 2 / seconds)] },
    }
  },
})

// Nightly: a recorder runs in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { SNAPSHOT_FLAGS, type Snapshot } from '../../src/domain/rows/snapshot.ts'
import { HASH_RULES, type HashRule } from '../../src/venues/polymarket/hash-rules.ts'
import { captureScene } from '../capture/capture-scene.ts'
import { comparedWithTruth, fault, hotMarketId, untilRows } from '../capture/capture-steps.ts'
import { RawBench } from '../raw/raw-bench.ts'
import { rebuildAll } from './rebuild-all.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})

afterAll(async () => {
  await stack?.stop()
})

const PROVED = SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown
const isVerified = ({ flags }: Snapshot): boolean => (flags & PROVED) === PROVED

test('the venue changes its hash rule: rows go on unverified, and a rebuild with the new rule proves them', async () => {
  using bench = new RawBench()
  await using scene = await captureScene(stack, { size: { hot: 40, medium: 20, cold: 0 } })
  const marketId = hotMarketId(scene)
  const fromMs = scene.simulator.world.nowMs
  const raw = bench.open()
  const recorder = scene.start('first', { raw })
  await untilRows(scene, marketId, 8)
  const changedAtMs = scene.simulator.world.nowMs
  await fault(scene, { name: 'hash-rule-change', target: { feed: 'polymarket' }, options: { rule: 1 } })
  const unverified = (): Snapshot[] => scene.recording.rowsOf(marketId).filter((row) => !isVerified(row))
  await expect.poll(() => unverified().length).toBeGreaterThan(30)
  await recorder.stop()
  await raw.close()
  const [first] = unverified()
  // Rows before it hold the last proved state.
  expect((first?.slot ?? 0) * (first?.intervalMs ?? 0) - changedAtMs).toBeLessThan(10_000)

  addRules([newRule('with version and min price', '","version":"v2"'), newRule('with min price', '"')])
  const { rows, unfinished } = await rebuildAll(bench, { fromMs, toMs: scene.simulator.world.nowMs })
  expect(unfinished).not.toContain(marketId)
  const rebuilt = rows.partsOf(marketId).flatMap(({ snapshots }) => snapshots)
  expect(rebuilt.length).toBeGreaterThanOrEqual(scene.recording.rowsOf(marketId).length)
  // Where a trade comes with the first batch of the new rule, nothing tells which of both is unknown.
  const settled = rebuilt.filter((row) => row.slot * row.intervalMs > changedAtMs + 3_000)
  expect(settled.length).toBeGreaterThan(10)
  expect(settled.filter((row) => !isVerified(row))).toEqual([])
  expect(comparedWithTruth(scene, marketId, rebuilt)).toBeGreaterThan(10)
})

/** The rule that the simulator's fault follows. */
function newRule(name: string, version: string): HashRule {
  const [known] = HASH_RULES
  if (known === undefined) throw new Error('no hash rule is known')
  return { ...known, name, tail: `${version},"min_price":"0.001"}` }
}

/** As if they were written in `hash-rules.ts`. */
function addRules(rules: readonly HashRule[]): void {
  const list = HASH_RULES as HashRule[]
  list.push(...rules)
  onTestFinished(() => {
    list.splice(-rules.length)
  })
}

// Nightly: a recorder runs in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { prepare } from '../../src/commands/prepare.ts'
import { serverProgram } from '../../src/commands/server-program.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { captureScene } from '../capture/capture-scene.ts'
import { hotMarketId, untilRows } from '../capture/capture-steps.ts'
import { openClickHouse, valuesOf } from '../clickhouse/open-clickhouse.ts'
import { RawBench } from '../raw/raw-bench.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>
let config: Config
let marketId: string
let range: { fromMs: number; toMs: number }
const bench = new RawBench()

beforeAll(async () => {
  stack = await borrowStack()
  // As many shards as the recorder of a scene has.
  config = readConfig({ ...stack.variables, RAW_DIR: bench.folder, POLYMARKET_SHARDS: '2' })
  await prepare(config)
  await using scene = await captureScene(stack)
  marketId = hotMarketId(scene)
  const fromMs = scene.simulator.world.nowMs
  const raw = bench.open()
  const recorder = scene.start('first', { raw })
  await untilRows(scene, marketId, 12)
  await recorder.stop()
  await raw.close()
  range = { fromMs, toMs: scene.simulator.world.nowMs }
}, 360_000)
afterAll(async () => {
  bench[Symbol.dispose]()
  await stack?.stop()
})
afterEach(() => {
  process.exitCode = undefined
})

async function runCommand(args: readonly string[]): Promise<string> {
  const lines: string[] = []
  const program = serverProgram({
    name: 'bookreel-server',
    version: '1.2.3',
    roles: [],
    readConfig: async () => config,
    readVenueAddresses: async () => config,
    print: (line) => lines.push(line),
    complain: (line) => lines.push(line),
    run: async () => {},
    watch: async () => {},
  })
  const at = (atMs: number): string => new Date(atMs).toISOString()
  await program.parseAsync(['rebuild', '--from', at(range.fromMs), '--to', at(range.toMs), ...args], { from: 'user' })
  return lines.join('\n')
}

test('rows that never reached ClickHouse come back, and what is changed later is found and corrected', async () => {
  const first = await runCommand([])
  expect(first).toMatch(new RegExp(`^${marketId} {2}hour=2026-\\d\\d-\\d\\dT\\d\\d {2}rows=\\d+ .*revision=2$`, 'm'))
  expect(await runCommand([])).toMatch(/ market hours compared, 0 different\.$/)
  // Of other markets a gap may be open at the end.
  process.exitCode = undefined
  expect(await runCommand(['--market', marketId])).toMatch(/ 1 market hours compared, 0 different\.$/)
  expect(process.exitCode ?? 0).toBe(0)

  const client = openClickHouse(stack)
  const own = `market_id = unhex('${marketId.slice(2)}')`
  const [slot] = await valuesOf(client, `SELECT min(slot) FROM snapshots WHERE ${own}`)
  await client.command({ query: `DELETE FROM snapshots WHERE ${own} AND slot = ${Number(slot)}` })
  await client.close()
  expect(await runCommand(['--dry-run'])).toMatch(
    new RegExp(`^${marketId} {2}hour=\\S+ {2}rows=1 {2}gaps=0 {2}trades=0$`, 'm'),
  )
  expect(process.exitCode).toBe(1)
  expect(await runCommand(['--market', marketId])).toContain('revision=3')
  expect(await runCommand([])).toMatch(/ 0 different\.$/)
})

test('an empty archive and another number of shards are refused', async () => {
  const { RAW_DIR, POLYMARKET_SHARDS } = config
  using empty = new RawBench()
  config = { ...config, RAW_DIR: empty.folder }
  await expect(runCommand([])).rejects.toThrow('has no records of this range. Check RAW_DIR')
  config = { ...config, RAW_DIR, POLYMARKET_SHARDS: 1 }
  await expect(runCommand([])).rejects.toThrow('polymarket has 1 shards now. Set POLYMARKET_SHARDS')
  config = { ...config, POLYMARKET_SHARDS }
})

test('a market or a range without records is told', async () => {
  expect(await runCommand(['--market', `0x${'0'.repeat(64)}`])).toContain('has no rows of this market')
  expect(process.exitCode).toBe(1)
  await expect(runCommand(['--to', new Date().toISOString()])).rejects.toThrow('at least five minutes ago')
})

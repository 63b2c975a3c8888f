// Nightly: a recorder runs in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RawRecord } from '../../src/domain/raw-record.ts'
import { gapSchema } from '../../src/domain/rows/gap.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import type { RowSchema } from '../../src/domain/rows/row-schema.ts'
import { snapshotSchema } from '../../src/domain/rows/snapshot.ts'
import { tradeSchema } from '../../src/domain/rows/trade.ts'
import type { TimeRange } from '../../src/domain/time-range.ts'
import type { RebuiltPart } from '../../src/rebuild/rebuilt-rows.ts'
import { type CaptureScene, captureScene } from '../capture/capture-scene.ts'
import { fault, faultOff, hotMarketId, untilRows } from '../capture/capture-steps.ts'
import { RawBench } from '../raw/raw-bench.ts'
import { rebuildAll } from './rebuild-all.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})

afterAll(async () => {
  await stack?.stop()
})

test('rows, gaps and trades are produced again from the raw archives of two recorders, as they were published', async () => {
  using bench = new RawBench()
  await using scene = await captureScene(stack)
  const marketId = hotMarketId(scene)
  const fromMs = scene.simulator.world.nowMs
  for (const owner of ['first', 'second']) {
    const raw = bench.open({ recorder: owner })
    const recorder = scene.start(owner, { raw })
    await untilRows(scene, marketId, 8)
    const id = await fault(scene, { name: 'drop', target: { feed: 'polymarket', market: marketId } })
    await expect.poll(() => scene.recording.gapsOf(marketId).length).toBeGreaterThan(0)
    await faultOff(scene, id)
    await untilRows(scene, marketId, 8)
    await recorder.stop()
    await raw.close()
  }
  const rebuilt = await rebuildAll(bench, { fromMs, toMs: scene.simulator.world.nowMs })
  expect(bench.missing).toEqual([])
  expect(rebuilt.rows.marketIds).toContain(marketId)
  for (const id of rebuilt.rows.marketIds) {
    // The last gap of a market has ended with the recorder.
    if (rebuilt.unfinished.has(id)) continue
    expect(textsOf(rebuilt.rows.partsOf(id)), id).toEqual(publishedTexts(scene, id))
  }
  expect(rebuilt.unfinished).not.toContain(marketId)
  const causes = scene.recording.gapsOf(marketId).map(({ cause }) => cause)
  expect(causes).toContain('capturer_down')
})

test.each(['the last records of a recorder that was killed', 'the raw archive of the first recorder'])(
  'stored rows stay when this is missing: %s',
  async (missing) => {
    using bench = new RawBench()
    await using scene = await captureScene(stack)
    const marketId = hotMarketId(scene)
    const fromMs = scene.simulator.world.nowMs
    for (const owner of ['first', 'second']) {
      const raw = bench.open({ recorder: owner })
      let isKept = owner === 'second' || missing.startsWith('the last records')
      const sink = { append: (record: RawRecord) => void (isKept && raw.append(record)) }
      const recorder = scene.start(owner, { raw: sink })
      await untilRows(scene, marketId, 8)
      if (owner === 'first') isKept = false
      await untilRows(scene, marketId, 8)
      await recorder.stop()
      await raw.close()
    }
    const rebuilt = await rebuildAll(bench, { fromMs, toMs: scene.simulator.world.nowMs })
    // The end of a killed recorder is too short to be told.
    expect(rebuilt.unread.length > 0).toBe(missing.startsWith('the raw archive'))
    for (const id of rebuilt.rows.marketIds) {
      const parts = rebuilt.rows.partsOf(id)
      const isIn = (times: readonly TimeRange[], atMs: number) =>
        times.some((time) => atMs >= time.fromMs && atMs < time.toMs)
      const produced = new Set(textsOf(parts).snapshots)
      const removed = scene.recording.rowsOf(id).filter(({ slot, intervalMs }) => {
        const stays = isIn(
          parts.flatMap(({ kept }) => kept.snapshots),
          slot * intervalMs,
        )
        return !stays && !produced.has(bytesOf(snapshotSchema, [rowOf(scene, id, slot)])[0] ?? '')
      })
      expect(removed, id).toEqual([])
      const trades = scene.recording.trades.filter((trade) => trade.marketId === id)
      const keptTimes = parts.flatMap(({ kept }) => kept.others)
      const again = new Set(textsOf(parts).trades)
      expect(
        trades.filter(
          (trade) => !isIn(keptTimes, trade.tradedAtMs) && !again.has(bytesOf(tradeSchema, [trade])[0] ?? ''),
        ),
        id,
      ).toEqual([])
    }
    const [first] = scene.recording.rowsOf(marketId)
    const isRebuilt = rebuilt.rows
      .partsOf(marketId)
      .some(({ snapshots }) => snapshots.some(({ slot }) => slot === first?.slot))
    expect(isRebuilt).toBe(missing.startsWith('the last records'))
  },
)

function rowOf({ recording }: CaptureScene, marketId: string, slot: number) {
  const row = recording.rowsOf(marketId).find((each) => each.slot === slot)
  if (row === undefined) throw new Error('no such row')
  return row
}

/** Rows as they are stored, sorted. */
function bytesOf<Row>({ write }: RowSchema<Row>, rows: readonly Row[]): string[] {
  const writer = new RowWriter(1_024)
  const texts = rows.map((row) => {
    write(writer, row)
    return writer.take().toString('hex')
  })
  return [...new Set(texts)].toSorted()
}

function textsOf(parts: readonly RebuiltPart[]) {
  return {
    snapshots: bytesOf(
      snapshotSchema,
      parts.flatMap(({ snapshots }) => snapshots),
    ),
    gaps: bytesOf(
      gapSchema,
      parts.flatMap(({ gaps }) => gaps),
    ),
    trades: bytesOf(
      tradeSchema,
      parts.flatMap(({ trades }) => trades),
    ),
  }
}

function publishedTexts({ recording }: CaptureScene, marketId: string): object {
  const { snapshots, gaps, tradeGaps, trades } = recording
  const own = <Row extends { marketId: string }>(rows: readonly Row[]): Row[] =>
    rows.filter((row) => row.marketId === marketId)
  return {
    snapshots: bytesOf(snapshotSchema, own(snapshots)),
    gaps: bytesOf(gapSchema, [...own(gaps), ...own(tradeGaps)]),
    trades: bytesOf(tradeSchema, own(trades)),
  }
}

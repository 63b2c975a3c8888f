import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOUR_MS } from '../../src/domain/finished-hour.ts'
import { type Gap, writeGap } from '../../src/domain/rows/gap.ts'
import { makeDueFiles } from '../../src/workers/files.ts'
import { DAY, FilesScene, rowsOf } from './files-scene.ts'

/** As parameters of a query they would need more than a megabyte, and ClickHouse accepts one. */
const RECORDS = 60_000
/** A row in every twelfth slot of an hour, and a doubtful slot in every fifth of the day. */
const [ROWS, DOUBTFUL_ROWS] = [1_200, 240]
const SLOT_MS = 250
const market = madeMarket('doubtful', { captureIntervalMs: SLOT_MS, startsAtMs: DAY, endsAtMs: DAY + HOUR_MS })
const FIRST = DAY / SLOT_MS
let scene: FilesScene

beforeAll(async () => {
  scene = await FilesScene.open()
  await scene.store([market], rowsOf(market))
  const about = { marketId: market.id, kind: 'suspect', cause: 'resync', intervalMs: SLOT_MS, detail: '' } as const
  const records = Array.from({ length: RECORDS }, (_, index): Gap => {
    const slot = FIRST + 5 * index
    return { ...about, fromSlot: slot, toSlot: slot, knownAtSlot: slot }
  })
  await scene.insert('gaps', writeGap, records)
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

test('a day with tens of thousands of doubtful ranges has its file, with the flag on these rows only', async () => {
  await makeDueFiles(scene.deps(), new AbortController().signal)
  expect(scene.failed).toEqual([])
  const rows = await scene.rowsOf(market.id)
  expect(rows.length).toBe(2 * ROWS)
  const doubtful = rows.filter(({ flags }) => (flags as string[]).includes('suspect'))
  expect(doubtful.every(({ sequence_number: slot }) => ((slot as number) - FIRST) % 5 === 0)).toBe(true)
  expect(doubtful.length).toBe(2 * DOUBTFUL_ROWS)
  expect((await scene.rowsOf('polymarket-gaps')).length).toBe(RECORDS)
})

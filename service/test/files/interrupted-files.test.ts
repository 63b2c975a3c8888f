import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayAvailableAtMs } from '../../src/domain/day-file.ts'
import { HOUR_MS } from '../../src/domain/finished-hour.ts'
import type { Market } from '../../src/domain/market.ts'
import { Files, objectKeyOf } from '../../src/stores/files/files.ts'
import { makeDueFiles } from '../../src/workers/files.ts'
import { type FileMaker, makeFile } from '../../src/workers/make-file.ts'
import { DAY, FilesScene, INTERVAL_MS, rowsOf } from './files-scene.ts'

const never = new AbortController().signal
const MARKETS = 6
const markets: Market[] = Array.from({ length: MARKETS }, (_, index) =>
  madeMarket(`interrupted-${index}`, { captureIntervalMs: INTERVAL_MS, startsAtMs: DAY, endsAtMs: DAY + HOUR_MS / 4 }),
)
let scene: FilesScene

beforeAll(async () => {
  scene = await FilesScene.open()
  await scene.store(
    markets,
    markets.flatMap((market) => rowsOf(market)),
  )
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

async function entries() {
  return new Files(scene.service.access.database).list({ isNewestOnly: false, limit: 100 })
}

/** The object store of the scene, which notes what is put and calls `afterPut`. */
function notingStore(put: string[], afterPut: () => void): FileMaker['objects'] {
  const { objects } = scene
  return {
    head: (key) => objects.head(key),
    async putFile(key, path) {
      await objects.putFile(key, path)
      put.push(key)
      afterPut()
    },
  }
}

test('a day is not written before its last hour is available, nor while slots may still be stored', async () => {
  const early = dayAvailableAtMs(DAY) - 1
  await makeDueFiles(scene.deps({ nowMs: () => early }), never)
  expect(await entries()).toEqual([])

  const [market] = markets
  if (market === undefined) throw new Error('there is no market')
  const holey = madeMarket('holey', { ...market, id: `0x${'e'.repeat(64)}` })
  await scene.store(
    [holey],
    rowsOf(holey, (offset) => offset === 10),
  )
  const justAfter = dayAvailableAtMs(DAY) + 1
  await makeDueFiles(
    scene.deps({ nowMs: () => justAfter, objects: { head: (key) => scene.objects.head(key), putFile: fail } }),
    never,
  )
  expect(scene.postponed).toEqual([`${holey.id} not_stored_yet`])
  // The others were tried, and their failure is told.
  expect(scene.failed.length).toBe(MARKETS)
  expect(await entries()).toEqual([])
})

test('rows that arrive while a file is written: it is made in the next round', async () => {
  const [market] = markets
  if (market === undefined) throw new Error('there is no market')
  const late = madeMarket('late', { ...market, id: `0x${'f'.repeat(64)}` })
  const rows = rowsOf(late)
  await scene.store([late], rows.slice(0, -10))
  const { stores } = scene.service
  const { subjects } = await scene.deps().days.subjectsOf(DAY)
  const subject = subjects.find(({ name }) => name === late.id)
  if (subject === undefined) throw new Error('the market has no rows')
  const clickhouse: FileMaker['clickhouse'] = {
    async exec(query) {
      const answer = await stores.clickhouse.exec(query)
      if (query.query.endsWith('FORMAT Parquet')) await scene.store([late], rows)
      return answer
    },
  }
  const order = { subject, revision: 1 }
  expect(await makeFile(scene.deps({ clickhouse }), order, never)).toBe('rows_changed')
  expect(await entries()).toEqual([])
  expect(await makeFile(scene.deps(), order, never)).toMatchObject({ rows: 2 * rows.length })
})

function fail(): Promise<void> {
  return Promise.reject(new Error('no space'))
}

test('an interrupted day goes on where it stopped: every file is complete, and none is stored twice', async () => {
  const put: string[] = []
  const stop = new AbortController()
  const dying = scene.deps({
    // The process ends after an object was stored and before its entry is.
    objects: notingStore(put, () => put.length === 3 && stop.abort()),
    files: refusingAfter(stop.signal),
  })
  await expect(makeDueFiles(dying, stop.signal)).rejects.toThrow()
  expect(put.length).toBe(3)
  expect((await entries()).length).toBe(3)

  await makeDueFiles(scene.deps({ objects: notingStore(put, () => {}) }), never)
  const all = await entries()
  expect(all.map(({ subject }) => subject).toSorted()).toEqual(
    [...markets.map(({ id }) => id), `0x${'e'.repeat(64)}`, `0x${'f'.repeat(64)}`, 'polymarket-gaps'].toSorted(),
  )
  expect(put.length).toBe(MARKETS + 2)
  expect(new Set(put).size).toBe(put.length)
  for (const file of all) {
    const bytes = await scene.objects.get(objectKeyOf(file))
    expect(bytes.length).toBe(file.bytes)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256)
  }
  const finished = await new Files(scene.service.access.database).finishedDays()
  expect([...finished]).toEqual([DAY])
  expect(readdirSync(scene.folder)).toEqual(['objects'])
})

/** Entries can't be stored any more once the process is dead. */
function refusingAfter(signal: AbortSignal): Files {
  const files = new Files(scene.service.access.database)
  const add = files.add.bind(files)
  files.add = async (file) => {
    signal.throwIfAborted()
    return add(file)
  }
  return files
}

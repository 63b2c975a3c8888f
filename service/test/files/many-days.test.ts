import { setTimeout as sleep } from 'node:timers/promises'
import { addFile, newSigner, sealAll } from '@bookreel/testbed/service/signed-files'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS, dayText } from '../../src/domain/day-file.ts'
import { HOUR_MS } from '../../src/domain/finished-hour.ts'
import { Manifests } from '../../src/stores/files/manifests.ts'
import { makeDueFiles, runFiles } from '../../src/workers/files.ts'
import { DAY, FilesScene, rowsOf, windowsOf } from './files-scene.ts'

let scene: FilesScene

beforeAll(async () => {
  scene = await FilesScene.open()
  const windows = windowsOf(2)
  await scene.store(
    windows,
    windows.flatMap((market) => rowsOf(market)),
  )
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

test('a day that can’t be read is counted and tried again, and the days after it are made', async () => {
  const { days, ...deps } = scene.deps()
  const broken = DAY - DAY_MS
  const failing = {
    ...days,
    daysBefore: async (nowMs: number) => [broken, ...(await days.daysBefore(nowMs))],
    subjectsOf: async (dayMs: number) => {
      if (dayMs === broken) throw new Error('the day can not be read')
      return days.subjectsOf(dayMs)
    },
  }
  for (let round = 1; round <= 2; round++) {
    await makeDueFiles({ ...deps, days: failing }, new AbortController().signal)
    expect(scene.failed.map(String)).toEqual(Array(round).fill('Error: the day can not be read'))
  }
  expect(new Set(scene.made.map(({ dayMs }) => dayText(dayMs)))).toEqual(new Set([dayText(DAY)]))
})

test('ended hours are signed while the files of many days are still being made', async () => {
  const stop = new AbortController()
  const sealed = Promise.withResolvers<void>()
  const { days, ...deps } = scene.deps({ seal: async () => sealed.resolve() })
  const daysBefore = async (): Promise<number[]> => {
    await sleep(600_000, undefined, { signal: stop.signal }).catch(() => {})
    return []
  }
  const running = runFiles({ ...deps, days: { ...days, daysBefore } }, stop.signal)
  await sealed.promise
  stop.abort()
  await running
})

test('the search for hours to sign reads files of the last signed day only', async () => {
  const { database } = scene.service.access
  const { signer } = newSigner()
  const manifests = new Manifests(database)
  const first = await addFile(database, Buffer.from('first'), { subject: 'first' })
  await sealAll(database, signer)
  const { made_at } = await database
    .selectFrom('files')
    .select('made_at')
    .where('id', '=', first)
    .executeTakeFirstOrThrow()
  const beforeFirst = (ageMs: number): number => made_at.getTime() - ageMs
  const copy = (id: string, ageMs: number) =>
    sql`INSERT INTO files SELECT (jsonb_populate_record(files, ${JSON.stringify({
      id,
      subject: id,
      made_at: new Date(beforeFirst(ageMs)).toISOString(),
    })}::jsonb)).* FROM files WHERE id = ${first}`.execute(database)
  await copy('late', 3 * HOUR_MS)
  await copy('ancient', 3 * DAY_MS)
  const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS
  expect(await manifests.dueHours(beforeFirst(-HOUR_MS))).toEqual([hourOf(beforeFirst(3 * HOUR_MS))])
})

import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DAY_MS } from '@bookreel/service/domain/day-file'
import { FolderStore } from '@bookreel/service/objects/folder-store'
import { fileDays } from '@bookreel/service/stores/files/file-days'
import { Files, objectKeyOf, type StoredFile } from '@bookreel/service/stores/files/files'
import { proofOf } from '@bookreel/service/venue-registry'
import { openClickHouse, openClickHouseReader } from '@bookreel/service/wiring/engines'
import { type FileMaker, makeFile } from '@bookreel/service/workers/make-file'
import { newSigner } from '@bookreel/testbed/service/signed-files'
import { until } from '@bookreel/testbed/until'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { fillDay, marketsOfDay } from '../files/fill-day.ts'
import { hundredths } from '../hundredths.ts'
import { PreparedEngines } from '../prepared-engines.ts'
import { memoryMbOf } from '../process-memory.ts'
import { ServiceProcess } from '../service-process.ts'

const CLICKHOUSE_WITHIN_MS = 60_000
const waiting = { withinMs: 600_000, everyMs: 20 }

export const files = experiment({
  name: 'files',
  summary:
    'Writes the files of a day while the process is killed again and again, and measures how fast they are made.',
  options: {
    windows: { description: 'five-minute windows of the series', default: 288, atLeast: 1 },
    slots: { description: 'slots of each market', default: 1_200, atLeast: 1 },
    others: { description: 'other markets, each with its own file', default: 30, atLeast: 1 },
    kills: { description: 'number of times that the process is killed', default: 5, atLeast: 0 },
    speed: { description: 'minimum token rows a second of the large file', default: 50_000 },
    memoryMb: { description: 'maximum memory of the process, in MB', default: 400 },
  },
  async run({ windows, slots, others, kills, speed, memoryMb }, progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bookreel-lab-files-'))
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(() => rm(folder, { recursive: true, force: true }))
    const objects = new FolderStore(join(folder, 'objects'))
    const OBJECT_STORE_URL = pathToFileURL(join(folder, 'objects')).href
    const engines = cleanup.use(await PreparedEngines.start({ OBJECT_STORE_URL, MANIFEST_KEY: newSigner().pem }))
    const dayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS
    const client = openClickHouse(engines.config)
    const stored = await fillDay(client, marketsOfDay(dayMs, { windows, others }), slots, progress)
    await client.close()

    // The series, and the gaps of the venue.
    const total = others + 2
    const entries = new Files(engines.access.database)
    const list = (): Promise<StoredFile[]> => entries.list({ isNewestOnly: false, limit: 10_000 })
    const { peakMb, runs } = await writeThroughKills({ engines, entries, list, dayMs, kills, files: total }, progress)

    progress('comparing the files with their entries')
    const made = await list()
    const wrong = await countWrong(objects, made)
    const keys = await Array.fromAsync(objects.list('files/'))
    const clickhouse = openClickHouseReader(engines.config, CLICKHOUSE_WITHIN_MS)
    const maker: FileMaker = {
      ...{
        clickhouse,
        folder,
        files: { add: async () => true, correctionsOf: entries.correctionsOf.bind(entries) },
      },
      ...{ objects: new FolderStore(join(folder, 'again')), nowMs: () => Date.now() },
    }
    const again = await makeAgain(maker, dayMs)
    clickhouse.close()
    const first = made.find(({ kind }) => kind === 'series')
    const rows = made.reduce((sum, file) => sum + file.rows, 0)
    return {
      bounds: [
        bound('files that are missing', total - made.length, '=', 0),
        bound('files whose content differs from their entry', wrong, '=', 0),
        bound('objects without an entry', keys.length - made.length, '=', 0),
        bound('token rows that are missing or too many', Math.abs(2 * stored - rows), '=', 0),
        bound('large files with other bytes when made again', again.sha256 === first?.sha256 ? 0 : 1, '=', 0),
        bound('token rows a second of the large file', Math.round(again.rows / again.seconds), '>=', speed),
        bound('most memory of the process', peakMb, '<=', memoryMb, 'MB'),
      ],
      series: { filesAfterKill: runs },
      notes: [
        `the large file has ${again.rows} rows of ${windows} markets and ${hundredths((first?.bytes ?? 0) / 1e6)} MB; it took ${hundredths(again.seconds)} s`,
      ],
    }
  },
})

interface Dump {
  readonly engines: PreparedEngines
  readonly entries: Files
  readonly list: () => Promise<StoredFile[]>
  readonly dayMs: number
  readonly kills: number
  readonly files: number
}

/** Kills the process each time after it has made some more files, then lets it finish the day. */
async function writeThroughKills(
  { engines, entries, list, dayMs, kills, files: total }: Dump,
  progress: (line: string) => void,
): Promise<{ peakMb: number; runs: number[] }> {
  const runs: number[] = []
  let peakMb = 0
  for (let run = 0; run <= kills; run++) {
    const enough = Math.floor((total * (run + 1)) / (kills + 1))
    await using role = await ServiceProcess.start('files', { ...engines.environment }, engines.folder)
    const isEnough = async (): Promise<boolean> => {
      peakMb = Math.max(peakMb, memoryMbOf(role.pid) || 0)
      if (role.hasEnded) throw new Error(`the role files has ended; see ${engines.folder}/files.log`)
      if (run === kills) return (await entries.finishedDays()).has(dayMs)
      return (await list()).length >= enough
    }
    progress(`process ${run + 1} of ${kills + 1}`)
    await until('the process has made its files', isEnough, waiting)
    if (run < kills) await role.kill()
    runs.push((await list()).length)
  }
  return { peakMb, runs }
}

async function countWrong(objects: FolderStore, made: readonly StoredFile[]): Promise<number> {
  let wrong = 0
  for (const file of made) {
    const hash = createHash('sha256')
    for await (const chunk of await objects.stream(objectKeyOf(file))) hash.update(chunk as Buffer)
    if (hash.digest('hex') !== file.sha256) wrong++
  }
  return wrong
}

async function makeAgain(maker: FileMaker, dayMs: number) {
  const { subjects } = await fileDays(maker.clickhouse, { proofOf, nowMs: maker.nowMs }).subjectsOf(dayMs)
  const subject = subjects.find(({ kind }) => kind === 'series')
  if (subject === undefined) throw new Error('the day has no series')
  const startMs = performance.now()
  const made = await makeFile(maker, { subject, revision: 1 }, new AbortController().signal)
  if (typeof made === 'string') throw new Error(`the file was not made again: ${made}`)
  return { sha256: made.sha256, rows: made.rows, seconds: (performance.now() - startMs) / 1_000 }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '@bookreel/service/config'
import { DAY_MS, subjectsOf } from '@bookreel/service/domain/day-file'
import { openObjectStore } from '@bookreel/service/objects/open-object-store'
import { openDatabase } from '@bookreel/service/stores/engines/postgres-database'
import { dayMarketStore } from '@bookreel/service/stores/files/day-markets'
import { Files } from '@bookreel/service/stores/files/files'
import { proofOf } from '@bookreel/service/venue-registry'
import { openClickHouseReader } from '@bookreel/service/wiring/engines'
import { openSigner } from '@bookreel/service/wiring/open-signer'
import { makeFile } from '@bookreel/service/workers/make-file'
import { sealAll } from '../service/signed-files.ts'
import type { PastHour } from './record-past-hour.ts'

const WITHIN_MS = 60_000

/** Makes and signs the files of the stored windows, as if their day had ended. */
export async function makePastFiles(config: Config, { listings }: PastHour, hourMs: number): Promise<void> {
  const objects = await openObjectStore(config)
  const signer = openSigner(config.MANIFEST_KEY)
  if (objects === undefined || signer === undefined) return
  const clickhouse = openClickHouseReader(config, WITHIN_MS)
  const database = openDatabase({ url: config.DATABASE_URL })
  const folder = await mkdtemp(join(tmpdir(), 'bookreel-past-file-'))
  try {
    const dayMs = Math.floor(hourMs / DAY_MS) * DAY_MS
    const stored = new Set(listings.map(({ market }) => market.id))
    const { markets } = await dayMarketStore(clickhouse).marketsOf(dayMs)
    const subjects = subjectsOf(markets.filter(({ marketId }) => stored.has(marketId)))
    const later = (): number => dayMs + 3 * DAY_MS
    const maker = { clickhouse, files: new Files(database), objects, folder, proofOf, nowMs: later }
    for (const subject of subjects) {
      const made = await makeFile(maker, { subject, dayMs, revision: 1 }, AbortSignal.timeout(WITHIN_MS))
      if (typeof made === 'string') throw new Error(`the file of the past hour was not made: ${made}`)
    }
    await sealAll(database, signer)
  } finally {
    await rm(folder, { recursive: true, force: true })
    objects.close()
    clickhouse.close()
    await database.destroy()
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '@bookreel/service/config'
import { DAY_MS } from '@bookreel/service/domain/day-file'
import { openObjectStore } from '@bookreel/service/objects/open-object-store'
import { openDatabase } from '@bookreel/service/stores/engines/postgres-database'
import { bookFiles } from '@bookreel/service/stores/files/book-files'
import { type DayMarketStore, dayMarketStore } from '@bookreel/service/stores/files/day-markets'
import { Files } from '@bookreel/service/stores/files/files'
import { proofOf } from '@bookreel/service/venue-registry'
import { openClickHouseReader } from '@bookreel/service/wiring/engines'
import { openSigner } from '@bookreel/service/wiring/open-signer'
import { makeFile } from '@bookreel/service/workers/make-file'
import { sealAll } from '../service/signed-files.ts'
import type { PastHour } from './record-past-hour.ts'

const WITHIN_MS = 60_000

/** Makes and signs the files of books of the stored windows, as if their day had ended. */
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
    const later = (): number => dayMs + 3 * DAY_MS
    const { subjects } = await bookFiles(onlyOf(stored, dayMarketStore(clickhouse)), proofOf).subjectsOf(dayMs)
    const maker = { clickhouse, files: new Files(database), objects, folder, nowMs: later }
    for (const subject of subjects) {
      const made = await makeFile(maker, { subject, revision: 1 }, AbortSignal.timeout(WITHIN_MS))
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

/** Windows of today are recorded beside it, and belong to the same series. */
function onlyOf(ids: ReadonlySet<string>, dayMarkets: DayMarketStore): DayMarketStore {
  return {
    ...dayMarkets,
    async marketsOf(dayMs) {
      const found = await dayMarkets.marketsOf(dayMs)
      return { ...found, markets: found.markets.filter(({ marketId }) => ids.has(marketId)) }
    },
  }
}

/** Records an hour of the simulated world and stores it, so that a new service has a file to download. */
import { setPriority, tmpdir } from 'node:os'
import { readConfig } from '@bookreel/service/config'
import { Samples } from '@bookreel/service/stores/books/samples'
import { openDatabase } from '@bookreel/service/stores/engines/postgres-database'
import { makeSample } from '@bookreel/service/wiring/make-sample'
import { makePastFiles } from '@bookreel/testbed/past-hour/make-past-files'
import { recordPastHour } from '@bookreel/testbed/past-hour/record-past-hour'
import { storePastHour } from '@bookreel/testbed/past-hour/store-past-hour'

/** What the program prints as one line of JSON. */
export interface StoredHour {
  /** Slug of the window that lasted the whole hour. */
  readonly slug: string
  readonly markets: number
  readonly rows: number
}

/** The services that start at the same time come first; on a busy machine it must still end within a minute. */
const PRIORITY = 5
const ANSWER_WITHIN_MS = 30_000

setPriority(PRIORITY)
process.once('disconnect', () => process.exit(1))
const hourMs = Number(process.argv[2])
const hour = recordPastHour({ seed: 'bookreel', hourMs })
const config = readConfig(process.env)
await storePastHour(config, hour)
const sampled = hour.listings.find(({ market }) => market.timeframe === '1h')?.market
if (sampled !== undefined) await addSample(sampled.id)
await makePastFiles(config, hour, hourMs)
const stored: StoredHour = {
  slug: hour.listings.find(({ market }) => market.timeframe === '1h')?.market.slug ?? '',
  markets: hour.listings.length,
  rows: 2 * hour.ticks.reduce((sum, { snapshots }) => sum + snapshots.length, 0),
}
console.log(JSON.stringify(stored))
process.exit(0)

/** So that strangers can look at an hour, too. */
async function addSample(marketId: string): Promise<void> {
  await using database = openDatabase({ url: config.DATABASE_URL, answerWithinMs: ANSWER_WITHIN_MS })
  const sample = await makeSample(config, database, { marketId, hourMs }, Date.now())
  await new Samples({ database, folder: tmpdir() }).add(sample)
}

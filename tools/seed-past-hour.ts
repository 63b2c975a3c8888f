/** Records an hour of the simulated world and stores it, so that a new service has a file to download. */
import { setPriority } from 'node:os'
import { readConfig } from '@bookreel/service/config'
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

setPriority(PRIORITY)
process.once('disconnect', () => process.exit(1))
const hourMs = Number(process.argv[2])
const config = readConfig(process.env)
const hour = recordPastHour({ seed: 'bookreel', hourMs })
await storePastHour(config, hour)
await makePastFiles(config, hour, hourMs)
const stored: StoredHour = {
  slug: hour.listings.find(({ market }) => market.timeframe === '1h')?.market.slug ?? '',
  markets: hour.listings.length,
  rows: 2 * hour.ticks.reduce((sum, { snapshots }) => sum + snapshots.length, 0),
}
console.log(JSON.stringify(stored))
process.exit(0)

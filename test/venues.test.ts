import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { trackedFiles } from './repository.ts'

const REGISTRY = 'service/src/venue-registry.ts'
const FOLDER = /^service\/src\/venues\/([^/]+)\//
const sources = trackedFiles().filter((file) => file.startsWith('service/src/') && file.endsWith('.ts'))
const venues = [...new Set(sources.flatMap((file) => FOLDER.exec(file)?.[1] ?? []))]

/** Where a name of a venue is an example for a reader, a coin, or a source of prices; never a case of its own. */
const MAY_NAME: Readonly<Record<string, readonly string[]>> = {
  'service/src/domain/slug.ts': ['hyperliquid'],
  'service/src/domain/heartbeat.ts': ['polymarket'],
  'service/src/domain/price.ts': ['binance'],
  'service/src/domain/rows/snapshot.ts': ['binance'],
  'service/src/capture/sample.ts': ['binance'],
  'service/src/endpoints/schemas/book-figures.ts': ['binance'],
  'service/src/endpoints/markets/get-market.ts': ['binance'],
  'service/src/endpoints/shared/window-settlement.ts': ['binance', 'polymarket'],
  'service/src/endpoints/platform/get-debug.ts': ['polymarket'],
  'service/src/domain/day-file.ts': ['polymarket'],
  'service/src/endpoints/files/file-entry.ts': ['polymarket'],
  'service/src/commands/raw.ts': ['polymarket'],
  'service/src/commands/reshard.ts': ['polymarket'],
  'service/src/commands/fieldcheck.ts': ['polymarket', 'hyperliquid'],
}

test('a venue is a folder with a definition, a page and one line in the registry', () => {
  const registry = readFileSync(REGISTRY, 'utf8')
  expect(venues.length).toBeGreaterThanOrEqual(4)
  for (const venue of venues) {
    expect(existsSync(`service/src/venues/${venue}/definition.ts`), venue).toBe(true)
    expect(existsSync(`docs/venues/${venue}.md`), venue).toBe(true)
    expect(registry.split(`from './venues/${venue}/definition.ts'`), venue).toHaveLength(2)
  }
})

test('no other file of the service names a venue', () => {
  const isElsewhere = (file: string): boolean =>
    file !== REGISTRY && !file.startsWith('service/src/fieldcheck/') && !FOLDER.test(file) && !file.endsWith('.test.ts')
  const naming = sources.filter(isElsewhere).flatMap((file) => {
    const text = readFileSync(file, 'utf8').toLowerCase()
    return venues
      .filter((venue) => new RegExp(`\\b${venue}`).test(text) && !MAY_NAME[file]?.includes(venue))
      .map((venue) => `${file} names ${venue}`)
  })
  expect(naming).toEqual([])
})

test('a venue does not use the folder of another', () => {
  const uses = sources.flatMap((file) => {
    const own = FOLDER.exec(file)?.[1]
    const others = venues.filter((venue) => venue !== own)
    const text = own === undefined ? '' : readFileSync(file, 'utf8')
    return others.filter((venue) => text.includes(`from '../${venue}/`)).map((venue) => `${file} uses ${venue}`)
  })
  expect(uses).toEqual([])
})

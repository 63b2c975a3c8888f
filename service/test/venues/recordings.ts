import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Recorded frames are beside the repository, not in it: some have no licence for redistribution. */
const folder = new URL('../../../../shared/venues/samples/', import.meta.url)

export const recordingsPlace = '../shared/venues/samples'

export function recordingsExist(): boolean {
  return existsSync(fileURLToPath(folder))
}

export function recordedText(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8')
}

/** One JSON value per line. */
export function recordedLines<Line>(path: string): Line[] {
  return recordedText(path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

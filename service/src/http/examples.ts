import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../docs/examples/', import.meta.url)

/** Shortened recorded answers by operation, written by `npm run docs -- --examples`. */
export function readExamples(): Record<string, unknown> {
  const files = listFiles().filter((file) => file.endsWith('.json'))
  return Object.fromEntries(
    files.map((file) => [file.slice(0, -'.json'.length), JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))]),
  )
}

/** The folder is missing in images without documentation. */
function listFiles(): string[] {
  try {
    return readdirSync(FOLDER).toSorted()
  } catch {
    return []
  }
}

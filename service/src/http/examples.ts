import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../docs/examples/', import.meta.url)

/** Answers that the service once gave, by operation, shortened; written by `npm run docs -- --examples`. */
export function readExamples(): Record<string, unknown> {
  const files = listed().filter((file) => file.endsWith('.json'))
  return Object.fromEntries(
    files.map((file) => [file.slice(0, -'.json'.length), JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))]),
  )
}

/** An image without documents still serves. */
function listed(): string[] {
  try {
    return readdirSync(FOLDER).toSorted()
  } catch {
    return []
  }
}

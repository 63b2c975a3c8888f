import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../docs/examples/', import.meta.url)

/** A recorded refusal: the situation, the request and the answer. */
export interface ErrorExample {
  readonly when: string
  readonly request: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly answer: { readonly error: string; readonly message: string; readonly status: number }
}

/**
 * Shortened recorded answers, written by `npm run docs -- --examples`, by operation; further examples of an operation
 * are named `operation.variant`.
 */
export function readExamples(): Record<string, unknown> {
  return readFolder(FOLDER)
}

/** Recorded errors by code; with another than the usual status by `code.status`. */
export function readErrorExamples(): Record<string, ErrorExample> {
  return readFolder(new URL('errors/', FOLDER)) as Record<string, ErrorExample>
}

function readFolder(folder: URL): Record<string, unknown> {
  const files = filesOf(folder).filter((file) => file.endsWith('.json'))
  return Object.fromEntries(
    files.map((file) => [file.slice(0, -'.json'.length), JSON.parse(readFileSync(new URL(file, folder), 'utf8'))]),
  )
}

/** The folder is missing in images without documentation. */
function filesOf(folder: URL): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

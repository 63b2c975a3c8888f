import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { KnownManifests } from '@bookreel/sdk'
import { WrongUse } from '../exit-codes.ts'

/** One file for each service. */
export function knownPath(folder: string, url: string): string {
  return join(folder, `manifests-${new URL(url).host.replaceAll(/[^\w.-]/g, '_')}.json`)
}

/** Undefined at the first check. */
export function readKnown(path: string): KnownManifests | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const known = parsed(text)
  if (isTexts(known?.keys) && isTexts(known?.hashes)) return { keys: known.keys, hashes: known.hashes }
  throw new WrongUse(
    `${path} was not written by this command. Restore it from a backup, or name another file with --known.`,
  )
}

export function saveKnown(path: string, known: KnownManifests): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(known)}\n`)
  renameSync(`${path}.new`, path)
}

function parsed(text: string): { keys?: unknown; hashes?: unknown } | undefined {
  try {
    return JSON.parse(text) as { keys?: unknown; hashes?: unknown }
  } catch {
    return undefined
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

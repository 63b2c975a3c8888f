import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WrongUse } from './exit-codes.ts'

/** The address of `npm run dev`. */
const DEFAULT_URL = 'http://127.0.0.1:8080'

export interface Settings {
  readonly url: string
  readonly key: string | undefined
  /** Where the key comes from, for messages; the key itself is never shown. */
  readonly keyFrom: string
}

export interface GivenOptions {
  readonly key?: string | undefined
  readonly url?: string | undefined
}

export type Variables = Readonly<Record<string, string | undefined>>

/** Command-line options override environment variables, which override saved files. */
export function readSettings(given: GivenOptions, variables: Variables): Settings {
  const folder = settingsFolder(variables)
  const url = given.url ?? nonEmpty(variables.BOOKREEL_URL) ?? readFileIn(folder, 'url') ?? DEFAULT_URL
  const sources = [
    [given.key, '--key'],
    [nonEmpty(variables.BOOKREEL_KEY), 'BOOKREEL_KEY'],
    [readFileIn(folder, 'key'), join(folder, 'key')],
  ] as const
  const [key, keyFrom] = sources.find(([value]) => value !== undefined) ?? [undefined, '']
  return { url: readUrl(url), key, keyFrom }
}

export function settingsFolder({ XDG_CONFIG_HOME, HOME = '.' }: Variables): string {
  return join(nonEmpty(XDG_CONFIG_HOME) ?? join(HOME, '.config'), 'bookreel')
}

/** Only the owner can read the file, also while it is being written. */
export function saveSetting(folder: string, name: 'key' | 'url', value: string): string {
  const file = join(folder, name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${value}\n`, { mode: 0o600 })
  chmodSync(`${file}.new`, 0o600)
  renameSync(`${file}.new`, file)
  return file
}

export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new WrongUse(`${text} is not a valid address; it must look like https://api.example.com.`)
  }
  return url.href.replace(/\/+$/, '')
}

function readFileIn(folder: string, name: string): string | undefined {
  try {
    return nonEmpty(readFileSync(join(folder, name), 'utf8').trim())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

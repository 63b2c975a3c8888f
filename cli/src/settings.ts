import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WrongUse } from './exit-codes.ts'

/** Where `npm run dev` answers. */
const USUAL_URL = 'http://127.0.0.1:8080'

/** Where the service is, and who asks. */
export interface Settings {
  readonly url: string
  readonly key: string | undefined
  /** Where the key was found, in words; the key itself is never shown. */
  readonly keyFrom: string
}

export interface Given {
  readonly key?: string | undefined
  readonly url?: string | undefined
}

export type Variables = Readonly<Record<string, string | undefined>>

/** Options come before variables, variables before files. */
export function readSettings(given: Given, variables: Variables): Settings {
  const folder = settingsFolder(variables)
  const url = given.url ?? filled(variables.BOOKREEL_URL) ?? fileIn(folder, 'url') ?? USUAL_URL
  const sources = [
    [given.key, '--key'],
    [filled(variables.BOOKREEL_KEY), 'BOOKREEL_KEY'],
    [fileIn(folder, 'key'), join(folder, 'key')],
  ] as const
  const [key, keyFrom] = sources.find(([value]) => value !== undefined) ?? [undefined, '']
  return { url: readUrl(url), key, keyFrom }
}

export function settingsFolder({ XDG_CONFIG_HOME, HOME = '.' }: Variables): string {
  return join(filled(XDG_CONFIG_HOME) ?? join(HOME, '.config'), 'bookreel')
}

/** Only its owner can read it, also while it is being written. */
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
    throw new WrongUse(`${text} is no address; give one such as https://api.example.com.`)
  }
  return url.href.replace(/\/+$/, '')
}

function fileIn(folder: string, name: string): string | undefined {
  try {
    return filled(readFileSync(join(folder, name), 'utf8').trim())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

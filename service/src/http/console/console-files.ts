import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'

/** A file of the built console with its compressed versions, in memory. */
export interface ConsoleFile {
  readonly type: string
  readonly identity: Buffer
  readonly br: Buffer | undefined
  readonly gzip: Buffer | undefined
}

/** What `npm run build:console` writes. */
export interface ConsoleFiles {
  readonly page: ConsoleFile
  /** By path below the folder, such as `assets/main-3f2a.js`; their names contain a hash of their content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>
}

const PAGE = 'index.html'
const ASSETS = 'assets/'
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Reads the folder of `CONSOLE_DIR` once, so that requests never read the disk. */
export function readConsole(folder: string): ConsoleFiles {
  const names = filesBelow(folder)
  // Before anything is read: a wrong folder may be large.
  if (!names.includes(PAGE)) {
    throw new Error(
      `CONSOLE_DIR is ${folder}, but this folder has no ${PAGE}. Build the console with: npm run build:console`,
    )
  }
  const own = names.filter((name) => name.startsWith(ASSETS) || name.startsWith(PAGE))
  const contents = new Map(own.map((name) => [name, readFileSync(join(folder, name))]))
  const page = fileOf(PAGE, contents)
  if (page === undefined) throw new Error(`CONSOLE_DIR is ${folder}, but its ${PAGE} cannot be read.`)
  const assets = new Map<string, ConsoleFile>()
  for (const name of contents.keys()) {
    const file = name.startsWith(ASSETS) ? fileOf(name, contents) : undefined
    if (file !== undefined) assets.set(name, file)
  }
  return { page, assets }
}

/** Undefined for files that are not sent as they are, such as compressed versions. */
function fileOf(name: string, contents: ReadonlyMap<string, Buffer>): ConsoleFile | undefined {
  const type = TYPES[extname(name)]
  const identity = contents.get(name)
  if (type === undefined || identity === undefined) return undefined
  return { type, identity, br: contents.get(`${name}.br`), gzip: contents.get(`${name}.gz`) }
}

function filesBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, sep).length).replaceAll(sep, '/'))
  } catch (cause) {
    throw new Error(`CONSOLE_DIR is ${folder}, but this folder cannot be read. Set it to the built console.`, { cause })
  }
}

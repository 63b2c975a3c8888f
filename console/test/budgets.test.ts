import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { builtConsole } from './console-scene.ts'

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
}

const KB = 1_000
const FIRST_LOAD_KB = 150
const MARKET_PAGE_KB = 220
const ALL_SCRIPTS_KB = 320
const ALL_STYLES_KB = 12
/** Market pages have a budget of their own, and the entry names their tabs. */
const MARKET_PAGE = 'src/pages/market/'

let folder: string
let chunks: Readonly<Record<string, Chunk>>

beforeAll(async () => {
  folder = await builtConsole()
  chunks = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'))
})

function gzipBytes(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + statSync(join(folder, `${file}.gz`)).size, 0)
}

/** Files that a chunk needs before it runs. */
function filesWith(name: string, found = new Set<string>()): Set<string> {
  const chunk = chunks[name]
  if (chunk === undefined || found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const each of chunk.imports ?? []) filesWith(each, found)
  return found
}

/** With the parts that a page loads by itself, as the start page does. The parts of the entry are the pages. */
function filesOfPage(page: string, entry: string): Set<string> {
  const files = filesWith(page, filesWith(entry))
  const loaded = Object.values(chunks).filter(({ file, isEntry }) => files.has(file) && isEntry !== true)
  for (const part of loaded.flatMap(({ dynamicImports }) => dynamicImports ?? [])) filesWith(part, files)
  return files
}

function assets(ending: string): string[] {
  return readdirSync(join(folder, 'assets'))
    .filter((name) => name.endsWith(ending))
    .map((name) => `assets/${name}`)
}

test('the first load of every page, all scripts and all styles are within their budgets', () => {
  const [entry = ''] = Object.entries(chunks).find(([, { isEntry }]) => isEntry) ?? []
  const pages = (chunks[entry]?.dynamicImports ?? []).filter((name) => !name.startsWith(MARKET_PAGE))
  expect(pages.length).toBeGreaterThanOrEqual(7)
  for (const page of pages) {
    expect(gzipBytes(filesOfPage(page, entry)), page).toBeLessThan(FIRST_LOAD_KB * KB)
  }
  expect(gzipBytes(assets('.js'))).toBeLessThan(ALL_SCRIPTS_KB * KB)
  expect(gzipBytes(assets('.css'))).toBeLessThan(ALL_STYLES_KB * KB)
})

test.each([
  ['live', 'stream-worker'],
  ['history', 'replay-worker'],
  ['coverage', undefined],
  ['data', undefined],
  ['code', undefined],
])('a market page with the tab %s and its worker is within its budget', (tab, worker) => {
  const [entry = ''] = Object.entries(chunks).find(([, { isEntry }]) => isEntry) ?? []
  expect(chunks[`${MARKET_PAGE}${tab}-tab.tsx`]).toBeDefined()
  const files = filesWith(`${MARKET_PAGE}${tab}-tab.tsx`, filesWith(`${MARKET_PAGE}market-page.tsx`, filesWith(entry)))
  const workers = worker === undefined ? [] : assets('.js').filter((name) => name.includes(worker))
  expect(workers).toHaveLength(worker === undefined ? 0 : 1)
  expect(gzipBytes([...files, ...workers])).toBeLessThan(MARKET_PAGE_KB * KB)
})

test('the page has nothing inline, nothing of other hosts, and every file has a hash and compressed versions', () => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\son\w+=/)
  expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  const names = readdirSync(join(folder, 'assets'))
  const plain = names.filter((name) => !/\.(br|gz)$/.test(name))
  expect(plain.length).toBeGreaterThan(8)
  for (const name of plain) {
    expect(name).toMatch(/-[\w-]{8}\.(js|css)$/)
    expect(names).toContain(`${name}.br`)
    expect(names).toContain(`${name}.gz`)
    expect(readFileSync(join(folder, 'assets', name), 'utf8')).not.toMatch(/(?:url\(|import\()["']?(?:https?:)?\/\//)
  }
})

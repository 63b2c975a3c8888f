import { createHash } from 'node:crypto'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { worldDir } from '../stacks/world-dir.ts'
import { recordWorld } from './record-world.ts'
import { factsOf, type WorldFacts } from './world-facts.ts'
import { type EncodedRows, encodeRows } from './world-rows.ts'

/** What a world is made from, besides the libraries. */
const SOURCES = [
  '../../../service/migrations/clickhouse/',
  '../../../service/src/capture/',
  '../../../service/src/domain/',
  '../../../service/src/venues/',
  '../../../simulator/src/',
  './',
].map((path) => new URL(path, import.meta.url))

export interface KeptWorld {
  /** Differs when the sources do. */
  readonly hash: string
  readonly facts: WorldFacts
  rows(): Promise<EncodedRows>
}

let known: Promise<KeptWorld> | undefined

/** The world of this test run. It is recorded by whoever needs it first. */
export function keptWorld(): Promise<KeptWorld> {
  known ??= readOrRecord()
  return known
}

async function readOrRecord(): Promise<KeptWorld> {
  const hash = await hashOfSources()
  const dir = worldDir()
  const [factsFile, rowsFile] = ['facts', 'rows'].map((part) => join(dir ?? '', `${hash}.${part}`)) as [string, string]
  const read = async <T>(file: string): Promise<T> => deserialize(await readFile(file)) as T
  const found = dir === undefined ? undefined : await read<WorldFacts>(factsFile).catch(() => undefined)
  if (found !== undefined) return { hash, facts: found, rows: () => read<EncodedRows>(rowsFile) }
  const recording = recordWorld()
  const [facts, rows] = [factsOf(recording), encodeRows(recording.ticks)]
  if (dir !== undefined) {
    await write(rowsFile, rows)
    await write(factsFile, facts)
  }
  return { hash, facts, rows: async () => rows }
}

/** Two workers may record at the same time: both write the same. */
async function write(file: string, value: unknown): Promise<void> {
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, serialize(value))
  await rename(unfinished, file)
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of SOURCES) {
    const files = await readdir(folder, { recursive: true })
    for (const file of files.filter((name) => /\.(ts|sql)$/.test(name) && !name.endsWith('.test.ts')).sort())
      hash.update(file).update(await readFile(new URL(file, folder)))
  }
  return hash.digest('hex').slice(0, 16)
}

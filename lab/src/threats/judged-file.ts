import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Judged } from './judge-entry.ts'
import type { ThreatEntry } from './threat-entry.ts'

/** What was judged so far, in a file, so that an interrupted run can be continued. */
export class JudgedFile {
  readonly #path: string | undefined
  readonly #judged: Judged[]

  private constructor(path: string | undefined, judged: Judged[]) {
    this.#path = path
    this.#judged = judged
  }

  /** `entries` are all that there are. One that was changed since, or was not seen failing, is judged again. */
  static async open(path: string | undefined, entries: readonly ThreatEntry[]): Promise<JudgedFile> {
    const current = new Set(entries.map(keyOf))
    const stored = path !== undefined && existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as Judged[]) : []
    return new JudgedFile(
      path,
      stored.filter((judged) => judged.seen && current.has(keyOf(judged))),
    )
  }

  /** Those of the entries that are judged. */
  of(entries: readonly ThreatEntry[]): Judged[] {
    const wanted = new Set(entries.map(keyOf))
    return this.#judged.filter((judged) => wanted.has(keyOf(judged)))
  }

  async add(judged: Judged): Promise<void> {
    this.#judged.push(judged)
    if (this.#path === undefined) return
    await mkdir(dirname(this.#path), { recursive: true })
    await writeFile(this.#path, `${JSON.stringify(this.#judged, null, 2)}\n`)
  }
}

function keyOf({ id, removal, test }: Pick<ThreatEntry, 'id' | 'removal' | 'test'>): string {
  return JSON.stringify([id, removal.file, removal.text, removal.replacement, test.file, test.name])
}

import type { Batch, BrokenBatch } from './batch.ts'

/** Reports each schema or batch format that is newer than this program, once. */
export class NewerSchemas {
  readonly #report: (error: Error) => void
  readonly #reported = new Set<string>()

  constructor(report: (error: Error) => void) {
    this.#report = report
  }

  check({ newerSections }: Batch): void {
    for (const { table, schema } of newerSections) this.#reportOnce(`schema ${schema} of ${table}`)
  }

  checkFormat({ fault }: BrokenBatch): void {
    if (fault === 'newer_version') this.#reportOnce('the batch format')
  }

  #reportOnce(name: string): void {
    if (this.#reported.has(name)) return
    this.#reported.add(name)
    this.#report(new Error(`${name} is newer than this process; its rows are not read before an upgrade`))
  }
}

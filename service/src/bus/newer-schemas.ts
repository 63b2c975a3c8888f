import type { Batch } from './batch.ts'

/** Reports each schema that is newer than this process once; its rows can be read after an upgrade. */
export class NewerSchemas {
  readonly #report: (error: Error) => void
  readonly #reported = new Set<string>()

  constructor(report: (error: Error) => void) {
    this.#report = report
  }

  check({ newerSections }: Batch): void {
    for (const { table, schema } of newerSections) {
      const name = `schema ${schema} of ${table}`
      if (this.#reported.has(name)) continue
      this.#reported.add(name)
      this.#report(new Error(`${name} is newer than this process; its rows are not read before an upgrade`))
    }
  }
}

import { openSync, writeSync } from 'node:fs'
import { decodeBatch } from '../bus/batch.ts'
import type { EncodedBatch } from '../bus/batch-writer.ts'

/**
 * Every row that NATS acknowledged, one `market slot` per line, so that a checker needs to trust neither the bus nor
 * the archive. Written synchronously: a kill loses at most the line that is being written.
 */
export class EmissionLog {
  readonly #file: number

  constructor(path: string) {
    this.#file = openSync(path, 'a', 0o600)
  }

  note({ bytes }: EncodedBatch): void {
    const lines = decodeBatch(bytes)
      .index()
      .map(({ marketId, slot }) => `${marketId} ${slot}\n`)
    if (lines.length > 0) writeSync(this.#file, lines.join(''))
  }
}

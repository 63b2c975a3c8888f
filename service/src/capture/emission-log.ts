import { openSync, writeSync } from 'node:fs'
import { decodeBatch } from '../bus/batch.ts'
import type { EncodedBatch } from '../bus/batch-writer.ts'

/**
 * What the bus has acknowledged, one `market slot` a line. A checker that reads it needs to trust neither the
 * bus nor the archive. Written at once, so that a kill takes at most the line that was being written.
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

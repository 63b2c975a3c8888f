import type { Hash } from 'node:crypto'
import { createHash } from 'node:crypto'
import type { BlockFacts } from './block-builder.ts'
import { recordsIn } from './block-builder.ts'
import { type BlockPlace, type SegmentIndex, type StoredBlock, unpackBlock } from './segment-format.ts'

/** Sums up the blocks of a segment for its index. */
export class SegmentSummary {
  readonly recorder: string
  readonly number: number
  readonly #hash: Hash = createHash('sha256')
  readonly #blocks: BlockPlace[] = []
  readonly #kinds: Record<string, number> = {}
  readonly #venues: Record<string, number> = {}
  #records = 0
  #rawBytes = 0
  #bytes = 0

  constructor(recorder: string, number: number) {
    this.recorder = recorder
    this.number = number
  }

  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0
  }

  get endMs(): number {
    return this.#blocks.reduce((latest, { maxMs }) => Math.max(latest, maxMs), Number.NEGATIVE_INFINITY)
  }

  add(stored: Buffer, rawBytes: number, facts: BlockFacts): void {
    const { records, minMs, maxMs, kinds, venues } = facts
    this.#hash.update(stored)
    this.#blocks.push({ offset: this.#bytes, bytes: stored.length, records, minMs, maxMs })
    this.#bytes += stored.length
    this.#rawBytes += rawBytes
    this.#records += records
    for (const [kind, count] of Object.entries(kinds)) this.#kinds[kind] = (this.#kinds[kind] ?? 0) + count
    for (const [venue, count] of Object.entries(venues)) this.#venues[venue] = (this.#venues[venue] ?? 0) + count
  }

  index(): SegmentIndex {
    return {
      recorder: this.recorder,
      number: this.number,
      startMs: this.#blocks.reduce((least, { minMs }) => Math.min(least, minMs), Number.POSITIVE_INFINITY),
      endMs: this.endMs,
      records: this.#records,
      rawBytes: this.#rawBytes,
      kinds: this.#kinds,
      venues: this.#venues,
      blocks: this.#blocks,
      sha256: this.#hash.copy().digest('hex'),
    }
  }
}

/** The facts of a block that a crashed process left without an index. */
export async function factsOf(block: StoredBlock): Promise<BlockFacts> {
  const kinds: Record<string, number> = {}
  const venues: Record<string, number> = {}
  for (const { kind, venue } of recordsIn(await unpackBlock(block))) {
    kinds[kind] = (kinds[kind] ?? 0) + 1
    if (venue !== '') venues[venue] = (venues[venue] ?? 0) + 1
  }
  const { records, firstMs, minMs, maxMs } = block
  return { records, firstMs, minMs, maxMs, kinds, venues }
}

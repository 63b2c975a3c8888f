import type { RawRecord } from '../domain/raw-record.ts'

/** Length of the body, time, number of the source. */
export const RECORD_HEADER_BYTES = 14
/** A record with this source defines the next source: its body is `[kind, venue, stream]` in JSON. */
export const DEFINITION = 0
const MOST_SOURCES = 65_535

export interface BlockFacts {
  readonly records: number
  readonly firstMs: number
  readonly minMs: number
  readonly maxMs: number
  readonly kinds: Readonly<Record<string, number>>
  readonly venues: Readonly<Record<string, number>>
}

export interface FilledBlock extends BlockFacts {
  readonly bytes: Buffer
}

interface Source {
  readonly number: number
  readonly kind: string
  readonly venue: string
  records: number
}

/** Records one after the other in one buffer: an append is a copy, without an object that stays. */
export class BlockBuilder {
  readonly #bytes: Buffer
  readonly #sources = new Map<string, Source>()
  #used = 0
  #records = 0
  #firstMs = 0
  #minMs = Number.POSITIVE_INFINITY
  #maxMs = Number.NEGATIVE_INFINITY

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity)
  }

  get isEmpty(): boolean {
    return this.#records === 0
  }

  /** Returns false, and changes nothing, when the record does not fit. */
  append({ kind, atMs, venue, stream, body }: RawRecord): boolean {
    const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    const name = `${kind}\n${venue}\n${stream}`
    let source = this.#sources.get(name)
    const definition = source === undefined ? JSON.stringify([kind, venue, stream]) : undefined
    const definitionBytes = definition === undefined ? 0 : RECORD_HEADER_BYTES + Buffer.byteLength(definition)
    const needed = definitionBytes + RECORD_HEADER_BYTES + bodyBytes
    if (this.#used + needed > this.#bytes.length || this.#sources.size === MOST_SOURCES) return false
    if (source === undefined) {
      source = { number: this.#sources.size + 1, kind, venue, records: 0 }
      this.#sources.set(name, source)
      this.#write(DEFINITION, atMs, definition ?? '', definitionBytes - RECORD_HEADER_BYTES)
    }
    this.#write(source.number, atMs, body, bodyBytes)
    source.records++
    if (this.#records === 0) this.#firstMs = atMs
    this.#records++
    if (atMs < this.#minMs) this.#minMs = atMs
    if (atMs > this.#maxMs) this.#maxMs = atMs
    return true
  }

  filled(): FilledBlock {
    const kinds: Record<string, number> = {}
    const venues: Record<string, number> = {}
    for (const { kind, venue, records } of this.#sources.values()) {
      kinds[kind] = (kinds[kind] ?? 0) + records
      if (venue !== '') venues[venue] = (venues[venue] ?? 0) + records
    }
    const times = { firstMs: this.#firstMs, minMs: this.#minMs, maxMs: this.#maxMs }
    return { bytes: this.#bytes.subarray(0, this.#used), records: this.#records, ...times, kinds, venues }
  }

  #write(source: number, atMs: number, body: Buffer | string, bodyBytes: number): void {
    const bytes = this.#bytes
    bytes.writeUInt32LE(bodyBytes, this.#used)
    bytes.writeDoubleLE(atMs, this.#used + 4)
    bytes.writeUInt16LE(source, this.#used + 12)
    const at = this.#used + RECORD_HEADER_BYTES
    if (typeof body === 'string') bytes.write(body, at, bodyBytes)
    else body.copy(bytes, at)
    this.#used = at + bodyBytes
  }
}

/** How many bytes a block needs for this record alone. */
export function bytesFor({ kind, venue, stream, body }: RawRecord): number {
  const definition = Buffer.byteLength(JSON.stringify([kind, venue, stream]))
  return 2 * RECORD_HEADER_BYTES + definition + (typeof body === 'string' ? Buffer.byteLength(body) : body.length)
}

export type ReadRecord = RawRecord & { readonly body: Buffer }

/** The records of a block, in the order in which they were appended. */
export function* recordsIn(bytes: Buffer): Generator<ReadRecord> {
  const sources: [kind: string, venue: string, stream: string][] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + RECORD_HEADER_BYTES + bytes.readUInt32LE(at)
    const atMs = bytes.readDoubleLE(at + 4)
    const number = bytes.readUInt16LE(at + 12)
    const body = bytes.subarray(at + RECORD_HEADER_BYTES, end)
    at = end
    if (number === DEFINITION) {
      sources.push(JSON.parse(body.toString()) as [string, string, string])
      continue
    }
    const [kind = '', venue = '', stream = ''] = sources[number - 1] ?? []
    yield { kind, atMs, venue, stream, body }
  }
}

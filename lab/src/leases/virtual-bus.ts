import { type Batch, decodeBatch } from '@bookreel/service/bus/batch'
import type { KeyValue } from '@bookreel/service/bus/key-values'
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream'
import type { VirtualTime } from './virtual-time.ts'

export interface Accepted {
  readonly atMs: number
  readonly batch: Batch
}

type OnChange = (key: string, entry: KeyValue | undefined) => void

const MARKER_MS = 150

/** The part of NATS that recorders use: keys that expire, keys that stay, and a stream with fences. */
export class VirtualBus {
  readonly accepted: Accepted[] = []
  readonly #time: VirtualTime
  readonly #ttlMs: number
  readonly #buckets = { leases: new Map<string, KeyValue>(), states: new Map<string, KeyValue>() }
  readonly #watchers = new Set<OnChange>()
  readonly #readers = new Map<string, Set<(message: Uint8Array) => void>>()
  readonly #fences = new Map<string, number>()
  readonly #messageIds = new Set<string>()
  #sequence = 0

  constructor(time: VirtualTime, ttlMs: number) {
    this.#time = time
    this.#ttlMs = ttlMs
  }

  get(bucket: 'leases' | 'states', key: string): KeyValue | undefined {
    return this.#buckets[bucket].get(key)
  }

  /** `revision`: the one that the key must have; 0 when it must not exist; left out, any. */
  put(bucket: 'leases' | 'states', key: string, value: string, revision?: number): number {
    const known = this.#buckets[bucket].get(key)
    if (revision !== undefined && (known?.revision ?? 0) !== revision) throw taken()
    const entry: KeyValue = { value, revision: ++this.#sequence, writtenAtMs: this.#time.nowMs }
    this.#buckets[bucket].set(key, entry)
    if (bucket === 'states') return entry.revision
    this.#tell(key, entry)
    this.#time.after(this.#ttlMs, () => this.#expire(key, entry))
    return entry.revision
  }

  delete(bucket: 'leases' | 'states', key: string, revision?: number): void {
    const known = this.#buckets[bucket].get(key)
    if (revision !== undefined && known?.revision !== revision) throw taken()
    this.#buckets[bucket].delete(key)
    if (bucket === 'leases' && known !== undefined) this.#tell(key, undefined)
  }

  #expire(key: string, entry: KeyValue): void {
    if (this.#buckets.leases.get(key) !== entry) return
    this.#buckets.leases.delete(key)
    this.#time.after(MARKER_MS, () => {
      if (!this.#buckets.leases.has(key)) this.#tell(key, undefined)
    })
  }

  #tell(key: string, entry: KeyValue | undefined): void {
    for (const watcher of this.#watchers) watcher(key, entry)
  }

  watch(onChange: OnChange): () => void {
    this.#watchers.add(onChange)
    for (const [key, entry] of this.#buckets.leases) onChange(key, entry)
    return () => this.#watchers.delete(onChange)
  }

  raiseFence(shard: string): number {
    this.#fences.set(shard, ++this.#sequence)
    return this.#sequence
  }

  publish(shard: string, data: Uint8Array, id: string, fence: number | undefined): { seq: number; duplicate: boolean } {
    if (this.#messageIds.has(id)) return { seq: this.#sequence, duplicate: true }
    if (this.#fences.get(shard) !== fence)
      throw new JetStreamApiError({
        code: 400,
        err_code: JetStreamApiCodes.StreamWrongLastSequence,
        description: 'wrong last sequence',
      })
    this.#messageIds.add(id)
    this.accepted.push({ atMs: this.#time.nowMs, batch: decodeBatch(data) })
    for (const reader of this.#readers.get(shard) ?? []) reader(data)
    return { seq: ++this.#sequence, duplicate: false }
  }

  /** Messages of the shard, from now on. */
  read(shard: string, reader: (message: Uint8Array) => void): () => void {
    const readers = this.#readers.get(shard) ?? new Set()
    this.#readers.set(shard, readers.add(reader))
    return () => readers.delete(reader)
  }
}

/** As the client library says it. */
function taken(): Error {
  return Object.assign(new Error('wrong last sequence'), { code: 10_071 })
}

import type { KV, KvEntry } from '@nats-io/kv'

export interface KeyValue {
  readonly value: string
  readonly revision: number
  /** When it was written, by the clock of the NATS server. */
  readonly writtenAtMs: number
}

/** A bucket of keys in NATS, as far as leases and states need it; another one can stand in for it. */
export interface KeyValues {
  /** Rejects with an error that `isTaken` recognizes when the key exists. */
  create(key: string, value: string): Promise<number>
  /** Rejects with an error that `isTaken` recognizes when the key has another revision. */
  update(key: string, value: string, revision: number, answerWithinMs?: number): Promise<number>
  put(key: string, value: string): Promise<number>
  delete(key: string, revision?: number): Promise<void>
  get(key: string): Promise<KeyValue | undefined>
  /** Calls `onChange` for every key now and for every later change, with `undefined` when it is deleted or expired. */
  watch(onChange: (key: string, entry: KeyValue | undefined) => void, signal: AbortSignal): Promise<void>
}

export function natsKeyValues(kv: KV): KeyValues {
  return {
    create: (key, value) => kv.create(key, value),
    update: (key, value, revision, answerWithinMs) => kv.update(key, value, revision, answerWithinMs),
    put: (key, value) => kv.put(key, value),
    delete: (key, revision) => kv.delete(key, revision === undefined ? {} : { previousSeq: revision }),
    async get(key) {
      const entry = await kv.get(key)
      return entry === null ? undefined : keyValueOf(entry)
    },
    async watch(onChange, signal) {
      const entries = await kv.watch()
      signal.addEventListener('abort', () => entries.stop(), { once: true })
      if (signal.aborted) entries.stop()
      for await (const entry of entries) onChange(entry.key, keyValueOf(entry))
    },
  }
}

function keyValueOf(entry: KvEntry): KeyValue | undefined {
  if (entry.operation !== 'PUT') return undefined
  return { value: entry.string(), revision: entry.revision, writtenAtMs: entry.created.getTime() }
}

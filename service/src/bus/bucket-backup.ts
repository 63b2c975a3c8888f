import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { JetStreamClient } from '@nats-io/jetstream'
import { type KV, type KvEntry, Kvm } from '@nats-io/kv'
import { z } from 'zod'
import { createBucket, KEPT_BUCKETS } from './buckets.ts'

/** One line of the file. */
const Line = z.strictObject({ bucket: z.string(), key: z.string(), value: z.base64() })
type Line = z.infer<typeof Line>

/** Writes all entries of the kept buckets, one a line; returns their number. */
export async function backupBuckets(jetstream: JetStreamClient, file: string): Promise<number> {
  const entries = await readEntries(jetstream)
  const lines = entries.map(({ bucket, key, value }): Line => {
    return { bucket, key, value: Buffer.from(value).toString('base64') }
  })
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 })
  return lines.length
}

/** Creates the buckets and writes the entries of the file; returns their number. */
export async function restoreBuckets(jetstream: JetStreamClient, file: string, replicas: number): Promise<number> {
  const kvm = new Kvm(jetstream)
  const buckets = new Map<string, KV>()
  for (const bucket of KEPT_BUCKETS) buckets.set(bucket.name, await createBucket(kvm, bucket, replicas))
  let count = 0
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const { bucket, key, value } = Line.parse(JSON.parse(text))
    await buckets.get(bucket)?.put(key, Buffer.from(value, 'base64'))
    count += 1
  }
  return count
}

export async function countEntries(jetstream: JetStreamClient): Promise<number> {
  return (await readEntries(jetstream)).length
}

/** A bucket that is missing has no entries. */
async function readEntries(jetstream: JetStreamClient): Promise<KvEntry[]> {
  const kvm = new Kvm(jetstream)
  const found: string[] = []
  for await (const { bucket } of kvm.list()) found.push(bucket)
  const entries: KvEntry[] = []
  for (const { name } of KEPT_BUCKETS) {
    if (!found.includes(name)) continue
    for await (const entry of await (await kvm.open(name)).history()) if (entry.operation === 'PUT') entries.push(entry)
  }
  return entries
}

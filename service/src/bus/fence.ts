import { type JetStreamClient, JsHeaders } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { fenceSubject } from './subjects.ts'

/** The right to publish for a shard: valid until another process raises a fence for it. */
export interface Fence {
  shard: string
  sequence: number
}

/** Another publisher has taken the shard; queued batches must not be sent. */
export class FenceBroken extends Error {
  readonly shard: string

  constructor(shard: string) {
    super(`another publisher has taken shard ${shard}`)
    this.name = 'FenceBroken'
    this.shard = shard
  }
}

/**
 * Takes the shard. From the server's answer on, batches of the former holder are refused, also those that are in
 * flight. Fences have their own subject because the archive deletes rows, which changes the last sequence of theirs.
 */
export async function raiseFence(
  jetstream: Pick<JetStreamClient, 'publish'>,
  shard: string,
  holder: string,
): Promise<Fence> {
  const rollup = headers()
  rollup.set(JsHeaders.RollupHdr, JsHeaders.RollupValueSubject)
  const { seq } = await jetstream.publish(fenceSubject(shard), holder, { headers: rollup })
  return { shard, sequence: seq }
}

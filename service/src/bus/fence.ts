import { type JetStreamClient, JsHeaders } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { fenceSubject } from './subjects.ts'

/** The right to publish for a shard: valid until someone else raises a fence for it. */
export interface Fence {
  shard: number
  sequence: number
}

/** Another publisher has taken the shard; what this one still holds must not be sent. */
export class FenceBroken extends Error {
  readonly shard: number

  constructor(shard: number) {
    super(`shard ${shard} has been taken by another publisher`)
    this.name = 'FenceBroken'
    this.shard = shard
  }
}

/**
 * Takes the shard. From the server's answer on, whatever the former holder sends is refused, also what was
 * already on its way. A subject of its own, because the archive empties that of the rows: its last sequence
 * says nothing.
 */
export async function raiseFence(jetstream: JetStreamClient, shard: number, holder: string): Promise<Fence> {
  const rollup = headers()
  rollup.set(JsHeaders.RollupHdr, JsHeaders.RollupValueSubject)
  const { seq } = await jetstream.publish(fenceSubject(shard), holder, { headers: rollup })
  return { shard, sequence: seq }
}

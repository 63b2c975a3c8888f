import type { NatsConnection } from '@nats-io/transport-node'
import { type Batch, decodeBatch } from '../../src/bus/batch.ts'
import { ALL_ROWS } from '../../src/bus/subjects.ts'

export interface LiveBatch {
  batch: Batch
  arrivedAtMs: number
  rowCount: number
}

/** Every batch published on the row subjects from now on, also those that the stream refuses. */
export async function listenToBatches(connection: NatsConnection): Promise<LiveBatch[]> {
  const batches: LiveBatch[] = []
  connection.subscribe(ALL_ROWS, {
    callback: (error, { data }) => {
      if (error !== null) return
      const batch = decodeBatch(data)
      batches.push({ batch, arrivedAtMs: Date.now(), rowCount: batch.index().length })
    },
  })
  await connection.flush()
  return batches
}

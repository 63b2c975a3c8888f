import type { NatsConnection } from '@nats-io/transport-node'
import { type Batch, decodeBatch } from '../../src/bus/batch.ts'
import { ALL_ROWS } from '../../src/bus/subjects.ts'

export interface LiveBatch {
  batch: Batch
  arrivedAtMs: number
  rowCount: number
}

/** Everything that is said on the subjects of the rows from now on, whether the stream takes it or not. */
export async function listenToBatches(connection: NatsConnection): Promise<LiveBatch[]> {
  const heard: LiveBatch[] = []
  connection.subscribe(ALL_ROWS, {
    callback: (error, { data }) => {
      if (error !== null) return
      const batch = decodeBatch(data)
      heard.push({ batch, arrivedAtMs: Date.now(), rowCount: batch.index().length })
    },
  })
  await connection.flush()
  return heard
}

import type { NatsConnection } from '@nats-io/transport-node'
import { perpSnapshotSchema } from '../domain/rows/perp-snapshot.ts'
import { RowReader } from '../domain/rows/row-binary.ts'
import { type Batch, BrokenBatch, decodeBatch } from './batch.ts'
import { NewerSchemas } from './newer-schemas.ts'
import { ALL_ROWS } from './subjects.ts'

export interface LiveRow {
  readonly marketId: string
  readonly slot: number
  readonly schema: number
  /** RowBinary; shares the memory of the message. */
  readonly bytes: Uint8Array
}

/** Yields batches as they are published. Missed batches are not sent again; slot numbers show what was missed. */
export async function* liveBatches(
  connection: NatsConnection,
  signal: AbortSignal,
  onProblem: (error: Error) => void,
): AsyncGenerator<Batch, void> {
  const newerSchemas = new NewerSchemas(onProblem)
  const subscription = connection.subscribe(ALL_ROWS)
  const end = (): void => subscription.unsubscribe()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    for await (const { data } of subscription) {
      try {
        const batch = decodeBatch(data)
        newerSchemas.check(batch)
        yield batch
      } catch (error) {
        if (!(error instanceof BrokenBatch)) throw error
        onProblem(error)
      }
    }
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

/** Splits the snapshots section into rows without decoding them. */
export function snapshotRows(batch: Batch): LiveRow[] {
  const section = batch.sections.find(({ table }) => table === 'snapshots')
  if (section === undefined) return []
  const entries = batch.index().toSorted((one, other) => one.offset - other.offset)
  return entries.map(({ marketId, slot, offset }, index) => ({
    marketId,
    slot,
    schema: section.schema,
    bytes: section.bytes.subarray(offset, entries[index + 1]?.offset ?? section.bytes.length),
  }))
}

export interface LivePerpRow {
  readonly venue: string
  readonly symbol: string
  readonly slot: number
  readonly schema: number
  readonly bytes: Uint8Array
}

/** Perps have no index, so each row is decoded to find its end. */
export function perpRows(batch: Batch): LivePerpRow[] {
  const section = batch.sections.find(({ table }) => table === 'perp_snapshots')
  if (section === undefined) return []
  const rows: LivePerpRow[] = []
  const reader = new RowReader(section.bytes)
  while (!reader.isAtEnd) {
    const from = reader.position
    const { venue, symbol, slot } = perpSnapshotSchema.read(reader, section.schema)
    rows.push({ venue, symbol, slot, schema: section.schema, bytes: section.bytes.subarray(from, reader.position) })
  }
  return rows
}

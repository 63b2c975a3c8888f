import { createHash } from 'node:crypto'
import type { TestService } from '@bookreel/testbed/service/test-service'
import { Samples } from '../../../src/stores/books/samples.ts'

export const SAMPLE = 'contract-sample'

/** Stores a public sample of a recorded market, as the operator's program does. */
export async function storeSample(service: TestService, marketId: string, nowMs: number): Promise<void> {
  const key = await service.keyOf('enterprise')
  const { body } = await service.ask(`/v1/markets/${marketId}/snapshots?limit=2`, { key })
  const parquet = Buffer.from('PAR1 of a sample PAR1')
  const facts = {
    market_id: marketId,
    slug: SAMPLE,
    question: 'What is in a sample?',
    venue: 'polymarket',
    hour: '2026-11-15T12:00:00.000Z',
    revision: 1,
    rows: 2,
    bytes: parquet.length,
    sha256: createHash('sha256').update(parquet).digest('hex'),
    coverage: body.coverage,
    gap_count: 0,
    gaps: [],
  }
  const tiles = []
  for (const side of ['UP', 'DOWN'])
    tiles.push((await service.ask(`/v1/markets/${marketId}/heatmap?from=${nowMs}&side=${side}`, { key })).body)
  const samples = new Samples({ database: service.access.database, folder: 'unused' })
  await samples.add({ id: SAMPLE, facts, snapshots: JSON.stringify(body.snapshots), tiles, parquet })
}

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { HOUR_MS } from '../domain/finished-hour.ts'
import { TIERS, type Tier } from '../domain/tier.ts'
import type { ApiCaller } from '../endpoints/endpoint.ts'
import { exportHour } from '../endpoints/history/export-hour.ts'
import { getMarketHeatmap } from '../endpoints/history/get-market-heatmap.ts'
import { SAMPLE_SNAPSHOTS } from '../endpoints/samples/get-sample.ts'
import { SampleFacts } from '../endpoints/samples/sample-entry.ts'
import { perpReads } from '../endpoints/shared/perp-reads.ts'
import { listSnapshots } from '../endpoints/snapshots/list-snapshots.ts'
import { SnapshotQuery } from '../endpoints/snapshots/requested-page.ts'
import type { NewSample } from '../stores/books/samples.ts'
import type { Database } from '../stores/engines/postgres-database.ts'
import { openStores } from './open-stores.ts'

export interface SampledHour {
  readonly marketId: string
  readonly hourMs: number
}

/** The highest tier: the hour may be older than what the others include. */
const OPERATOR: ApiCaller = { accountId: '', keyId: '', label: 'operator', tier: TIERS.at(-1) as Tier }
/** As many snapshots before the first gap as after it. */
const BEFORE_GAP = SAMPLE_SNAPSHOTS / 4

/** Reads a finished hour as the API serves it. Throws the errors of the endpoints. */
export async function makeSample(
  config: Config,
  database: Database,
  hour: SampledHour,
  nowMs: number,
): Promise<NewSample> {
  await using stores = openStores(config, database, () => {})
  await stores.catalogue.refresh(nowMs)
  const { marketId, hourMs } = hour
  const request = {
    params: { id: marketId },
    body: undefined,
    caller: OPERATOR,
    stores,
    perps: perpReads(stores, OPERATOR.tier, nowMs),
    nowMs,
    signal: new AbortController().signal,
    // What everybody may see is decided by the operator who makes it.
    require: () => {},
  }
  const query = { hour: hourMs, part: 'snapshots', dry_run: false } as const
  const answer = await exportHour.file?.({ ...request, query })
  if (answer === undefined || !('file' in answer) || !('path' in answer.file)) throw new Error('the hour has no file')
  const parquet = await readFile(answer.file.path)
  const { body: report } = await exportHour.handle({ ...request, query: { ...query, dry_run: true } })
  const market = await stores.markets.byId(marketId, nowMs)
  const sha256 = createHash('sha256').update(parquet).digest('hex')
  const facts = SampleFacts.parse({ ...report, question: market?.question ?? '', bytes: parquet.length, sha256 })
  const gapAtMs = report.gaps.map(({ from }) => Date.parse(from)).find((atMs) => atMs >= hourMs)
  const slotMs = market?.captureIntervalMs ?? 0
  const fromMs = gapAtMs === undefined ? hourMs : Math.max(hourMs, gapAtMs - BEFORE_GAP * slotMs)
  const page = SnapshotQuery.parse({ from: String(fromMs), limit: String(SAMPLE_SNAPSHOTS), order: 'asc' })
  const { body } = await listSnapshots.handle({ ...request, query: page })
  const { snapshots } = JSON.parse(listSnapshots.render?.(body) ?? '{}') as { snapshots?: unknown[] }
  const tiles = []
  for (const side of ['UP', 'DOWN'] as const) {
    for (let atMs = hourMs; atMs < hourMs + HOUR_MS; ) {
      const tile = await getMarketHeatmap.handle({ ...request, query: { from: atMs, side, price_step: '0.01' } })
      tiles.push(tile.body)
      atMs = Date.parse(tile.body.from) + tile.body.columns * tile.body.column_ms
    }
  }
  return { id: idOf(facts.slug, hourMs), facts, snapshots: JSON.stringify(snapshots ?? []), tiles, parquet }
}

/** Such as `bitcoin-up-or-down-2027-01-31t05`. */
function idOf(slug: string, hourMs: number): string {
  const hour = new Date(hourMs).toISOString().slice(0, 13).toLowerCase()
  return `${slug
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
    .slice(0, 100)}-${hour}`
}

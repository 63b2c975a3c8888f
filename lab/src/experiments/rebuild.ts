import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '@bookreel/service/config'
import { type Rebuilt, rebuild as rebuildRange } from '@bookreel/service/rebuild/rebuild'
import { compareHour } from '@bookreel/service/stores/books/replace-hour'
import { openRawReader } from '@bookreel/service/wiring/open-raw'
import { recordedVenues, shardCounts } from '@bookreel/service/wiring/recorded-venues'
import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { hundredths } from '../hundredths.ts'
import { cpuSecondsOf } from '../process-cpu.ts'
import { holesIn, type Range, recordRange, SETTLE_MS } from '../recorded-range.ts'
import { RecordingService } from '../recording-service.ts'

const HOUR_MS = 3_600_000

export const rebuild = experiment({
  name: 'rebuild',
  summary:
    'Records venues with all habits of the real ones, produces the rows again from the raw archive, and compares them byte for byte.',
  options: {
    markets: { description: 'number of simulated markets', default: 500, atLeast: 20 },
    kalshi: { description: 'number of simulated markets of a second venue', default: 0, atLeast: 0 },
    minutes: { description: 'recording time in minutes', default: 30, atLeast: 0.1 },
    seed: { description: 'seed of the simulated world', default: 'bookreel' },
    speed: { description: 'least speed of the rebuild, as a multiple of the recorded time', default: 1, atLeast: 0 },
  },
  async run({ markets, kalshi, minutes, seed, speed }, progress) {
    const world = ['--venues', 'realistic', '--markets', String(markets), '--kalshi', String(kalshi), '--seed', seed]
    await using service = await RecordingService.start(world, progress, { isRawKept: true })
    const followed = await service.untilTrusted(progress)
    const recorderCpu = cpuSecondsOf(service.role('capture').pid)
    const range = await recordRange(minutes, (second, seconds) => progress(`recording, ${second} of ${seconds} s`))
    const recordedS = (range.toMs - range.fromMs) / 1_000
    const recorderS = cpuSecondsOf(service.role('capture').pid) - recorderCpu
    await service.endRole('capture')
    await sleep(SETTLE_MS)
    await holesIn(service, range)

    const again = await measured(() => rebuildFrom(service, range, progress))
    progress('comparing with the stored rows')
    const difference = await differenceOf(service, again.result)
    const stored = await rawBytes(service)
    const hours = (stored.toMs - stored.fromMs) / HOUR_MS
    const times = recordedS / again.seconds
    return {
      bounds: [
        bound('markets followed', followed, '>=', Math.floor(markets * 0.5)),
        bound('rows compared', difference.rows, '>=', Math.floor(followed * recordedS * 0.2)),
        bound('rows that differ', difference.changes.snapshots, '<=', 0),
        bound('gaps that differ', difference.changes.gaps, '<=', 0),
        bound('trades that differ', difference.changes.trades, '<=', 0),
        bound('parts of the range without raw records', again.result.unread.length, '<=', 0),
        bound(
          'markets with a gap that ended with the recorder',
          again.result.unfinished.size,
          '<=',
          Math.floor(followed * 0.1),
        ),
        bound('speed, as a multiple of the recorded time', hundredths(times), '>=', speed, '×'),
      ],
      series: {
        difference: [
          { ...difference.changes, rows: difference.rows, gaps: difference.gaps, trades: difference.trades },
        ],
        cost: [{ recordedS, recorderS, rebuildS: again.seconds, rebuildCpuS: again.cpuSeconds }],
        raw: [{ ...stored, bytesPerMarketHour: Math.round(stored.bytes / followed / hours) }],
      },
      notes: [
        `${difference.rows} rows, ${difference.gaps} gaps and ${difference.trades} trades of ${followed} markets compared`,
        `rebuild: ${hundredths(again.seconds)} s for ${recordedS} s, CPU ${hundredths(again.cpuSeconds)} s against ${hundredths(recorderS)} s of the recorder`,
        `raw archive: ${Math.round(stored.bytes / followed / hours / 1_000)} kB per market and hour, ${hundredths(stored.rawBytes / stored.bytes)} times smaller than what it holds`,
      ],
    }
  },
})

async function measured<Result>(act: () => Promise<Result>) {
  const [before, startMs] = [process.cpuUsage(), performance.now()]
  const result = await act()
  const { user, system } = process.cpuUsage(before)
  return { result, seconds: (performance.now() - startMs) / 1_000, cpuSeconds: (user + system) / 1e6 }
}

async function rebuildFrom(service: RecordingService, range: Range, progress: Progress): Promise<Rebuilt> {
  const config = readConfig(service.environment)
  const { reader, close } = await openRawReader(config, ({ reason }) => {
    throw new Error(`the raw archive is incomplete: ${reason}`)
  })
  try {
    return await rebuildRange({
      reader,
      range,
      venues: () => recordedVenues(config),
      shardCounts: shardCounts(config),
      onProgress: (atMs) => progress(`rebuilding, ${Math.max(0, Math.round((atMs - range.fromMs) / 1_000))} s done`),
    })
  } finally {
    close()
  }
}

async function differenceOf({ clickhouse }: RecordingService, { rows, unfinished }: Rebuilt) {
  const servers = { clients: [clickhouse], form: { kind: 'single' } as const }
  const total = { rows: 0, gaps: 0, trades: 0, changes: { snapshots: 0, gaps: 0, trades: 0 } }
  for (const part of rows.marketIds.flatMap((id) => (unfinished.has(id) ? [] : rows.partsOf(id)))) {
    // The recorder has stopped, so nothing may be missing, and no stored row is excused.
    const { kept: _, ...whole } = part
    const { changes } = await compareHour(servers, whole)
    total.rows += part.snapshots.length
    total.gaps += part.gaps.length
    total.trades += part.trades.length
    for (const table of ['snapshots', 'gaps', 'trades'] as const) total.changes[table] += changes[table]
  }
  return total
}

/** Of the whole archive, not only of the measured range. */
async function rawBytes(service: RecordingService) {
  const { reader, close } = await openRawReader(readConfig(service.environment), () => {})
  try {
    const everything = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
    const segments = [...(await reader.segments(everything)).values()].flat()
    const indexes = await Promise.all(segments.map((segment) => reader.index(segment)))
    return {
      fromMs: Math.min(...segments.map(({ startMs }) => startMs)),
      toMs: Math.max(...segments.map(({ endMs = 0 }) => endMs)),
      bytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
      rawBytes: indexes.reduce((sum, index) => sum + (index?.rawBytes ?? 0), 0),
    }
  } finally {
    close()
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiService } from '../api-service.ts'
import type { Progress } from '../experiment.ts'
import type { ListeningProcess } from '../listening-process.ts'
import { memoryMbOf } from '../process-memory.ts'
import { type BusTraffic, busTraffic } from './bus-meter.ts'
import { type CpuSeconds, cpuOfAll } from './cpu-of-all.ts'

/** What recording a world costs. */
export interface RecordedLoad {
  readonly name: string
  readonly markets: number
  readonly rowsPerSecond: number
  readonly framesPerSecond: number
  readonly bytesReceivedPerSecond: number
  readonly bus: BusTraffic
  readonly diskBytesPerRow: number
  readonly cpuPerSecond: CpuSeconds
  readonly memoryMb: Readonly<Record<string, number>>
}

/** All processes that serve and record, by name. */
export function pidsOf(service: ApiService, gateway: ListeningProcess): Map<string, number> {
  return new Map([...service.recording.pids(), ['api', service.processes[0]?.pid ?? 0], ['gateway', gateway.pid]])
}

export async function recordedLoad(
  name: string,
  { service, gateway, seconds }: { service: ApiService; gateway: ListeningProcess; seconds: number },
  progress: Progress,
): Promise<RecordedLoad> {
  const capture = service.recording.role('capture')
  const counters = ['capture_rows_total', 'capture_frames_total', 'capture_socket_bytes_total'] as const
  const read = (): Promise<number[]> => Promise.all(counters.map(async (each) => (await capture.metric(each)) ?? 0))
  const pids = pidsOf(service, gateway)
  const [used, before, fromMs] = [cpuOfAll(pids), await read(), performance.now()]
  const bus = await busTraffic(service.recording.stack, async () => {
    for (let second = 1; second <= seconds; second++) {
      await sleep(1_000)
      progress(`${name}: ${second} of ${seconds} s`)
    }
  })
  const [after, cpu, passedS] = [await read(), used(), (performance.now() - fromMs) / 1_000]
  const [rows = 0, frames = 0, bytes = 0] = after.map((value, index) => (value - (before[index] ?? 0)) / passedS)
  return {
    name,
    markets: (await capture.metric('capture_markets_followed')) ?? 0,
    rowsPerSecond: rows,
    framesPerSecond: frames,
    bytesReceivedPerSecond: bytes,
    bus,
    diskBytesPerRow: await diskBytesPerRow(service),
    cpuPerSecond: Object.fromEntries(Object.entries(cpu).map(([process, value]) => [process, value / passedS])),
    memoryMb: Object.fromEntries([...pids].map(([process, pid]) => [process, memoryMbOf(pid)])),
  }
}

async function diskBytesPerRow({ recording }: ApiService): Promise<number> {
  await recording.clickhouse.command({ query: 'OPTIMIZE TABLE snapshots FINAL' })
  const answer = await recording.clickhouse.query({
    query: `SELECT sum(bytes_on_disk) / sum(rows) AS bytes FROM system.parts
      WHERE active AND database = currentDatabase() AND table = 'snapshots'`,
    format: 'JSONEachRow',
  })
  const [row] = await answer.json<{ bytes: number }>()
  return Number(row?.bytes)
}

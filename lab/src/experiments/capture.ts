import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { drawCharts } from '../line-chart.ts'
import { percentile } from '../percentile.ts'
import { cpuSecondsOf } from '../process-cpu.ts'
import { holesIn, recordRange, SETTLE_MS } from '../recorded-range.ts'
import { RecordingService } from '../recording-service.ts'
import { rowsServedTwice } from '../rows-served-twice.ts'
import { recordedIn } from '../stored-rows.ts'

export const capture = experiment({
  name: 'capture',
  summary:
    'Records a simulated world and checks that every slot is stored or has a gap record, verified and on time; measures CPU.',
  options: {
    markets: { description: 'number of simulated markets', default: 1_000, atLeast: 20 },
    minutes: { description: 'recording time in minutes', default: 5, atLeast: 0.1 },
    seed: { description: 'seed of the simulated world', default: 'bookreel' },
    stored: { description: 'minimum share of the expected slots stored, in %', default: 99.5, atLeast: 0 },
    offsetMs: { description: 'maximum p99 delay of a sample after its slot, in ms', default: 50, atLeast: 1 },
    lagMs: { description: 'maximum p99 latency from capture to queryable, in ms', default: 5_000, atLeast: 1 },
    plot: { description: 'SVG file for the charts', default: 'out/capture.svg' },
    tape: {
      description: 'seconds of frames written ahead of time, longer than the run; 0: none',
      default: 0,
      atLeast: 0,
    },
  },
  async run({ markets, minutes, seed, stored: storedShare, offsetMs, lagMs, plot, tape }, progress) {
    const args = ['--markets', String(markets), '--seed', seed, '--tape', String(tape)]
    await using service = await RecordingService.start(args, progress)
    const followed = await service.untilTrusted(progress)
    const watched = new Watched(service)
    const range = await recordRange(minutes, async (second, seconds) => {
      await watched.sample()
      progress(`${second} of ${seconds} s, newest row ${watched.lagsMs.at(-1)} ms old`)
    })
    if (tape > 0) await service.simulator.requireTape(range.toMs)
    await sleep(SETTLE_MS)

    progress('counting stored rows and gaps')
    const holes = await holesIn(service, range)
    const stored = await recordedIn(service.clickhouse, range)
    await mkdir(dirname(plot), { recursive: true })
    await writeFile(
      plot,
      drawCharts([
        { title: 'rows stored', unit: 'per second', lines: [{ name: 'rows', values: stored.rowsPerSecond }] },
        {
          title: 'expected slots stored',
          unit: '%',
          step: { seconds: 6 },
          lines: [{ name: 'stored', values: stored.completenessEvery6s }],
        },
        { title: 'age of the newest queryable row', unit: 'ms', lines: [{ name: 'lag', values: watched.lagsMs }] },
        {
          title: 'delay of a sample after its slot',
          unit: 'ms, p99 of the second',
          lines: [{ name: 'offset', values: stored.offsetsPerSecond }],
        },
        {
          title: 'CPU',
          unit: '% of one core',
          lines: [...watched.cpu].map(([name, values]) => ({ name, values })),
        },
      ]),
    )
    const cpu = Object.fromEntries([...watched.cpu].map(([name, values]) => [name, Math.round(mean(values))]))
    return {
      bounds: [
        bound('markets followed', followed, '>=', Math.floor(markets * 0.5)),
        bound('expected slots stored', stored.completeness, '>=', storedShare, '%'),
        bound('missing slots without a gap record', holes.length, '<=', 0),
        bound('rows verified', stored.verified, '>=', 99.9, '%'),
        bound('delay of a sample after its slot, p99', stored.offsetP99Ms, '<=', offsetMs, 'ms'),
        bound('latency from capture to queryable, p99', percentile(watched.lagsMs, 0.99), '<=', lagMs, 'ms'),
        bound('rows returned twice by the store', await rowsServedTwice(service.clickhouse), '<=', 0),
      ],
      series: {
        cpuPercentOfACore: [cpu],
        rows: [stored.rowCount],
        rowsPerSecond: stored.rowsPerSecond,
        lagsMs: watched.lagsMs,
        holes: holes.slice(0, 20),
        plot: [plot],
      },
    }
  },
})

/** CPU use of every process and the age of the newest queryable row, sampled once a second. */
class Watched {
  readonly lagsMs: number[] = []
  readonly cpu: Map<string, number[]>
  readonly #service: RecordingService
  readonly #pids: ReadonlyMap<string, number>
  readonly #used: Map<string, number>

  constructor(service: RecordingService) {
    this.#service = service
    this.#pids = service.pids()
    this.cpu = new Map([...this.#pids.keys()].map((name) => [name, []]))
    this.#used = new Map([...this.#pids].map(([name, pid]) => [name, cpuSecondsOf(pid)]))
  }

  async sample(): Promise<void> {
    for (const [name, pid] of this.#pids) {
      const now = cpuSecondsOf(pid)
      this.cpu.get(name)?.push(Math.round(100 * (now - (this.#used.get(name) ?? now))))
      this.#used.set(name, now)
    }
    const answer = await this.#service.clickhouse.query({
      query: 'SELECT toUnixTimestamp64Milli(max(captured_at)) AS at FROM snapshots WHERE slot_at > now64(3) - 60',
      format: 'JSONEachRow',
    })
    const [row] = await answer.json<{ at: string | number }>()
    this.lagsMs.push(Date.now() - Number(row?.at ?? Number.NaN))
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bound } from '../bound.ts'
import { experiment, type Progress } from '../experiment.ts'
import { BareFanout } from '../fanout/bare-fanout.ts'
import { FanoutBench } from '../fanout/fanout-bench.ts'
import { type Counted, lagAt } from '../fanout/reader-orders.ts'
import { Readers } from '../fanout/readers.ts'
import { hundredths } from '../hundredths.ts'
import { drawCharts } from '../line-chart.ts'
import { percentile } from '../percentile.ts'
import { cpuMeter } from '../process-cpu.ts'
import { memoryMbOf } from '../process-memory.ts'

/** Of the plan that is sampled most often. */
const TICKS_PER_SECOND = 4
/** A whole book then fills what the kernel holds for a reader that stopped within seconds. */
const STEADY_RATE = { ticksPerSecond: TICKS_PER_SECOND, levels: 400 }
/** Warm-up before each measurement. */
const WARM_UP_S = 2
/** Time for the last published frames to arrive. */
const SETTLE_MS = 1_500
/** Factor by which the published rate exceeds the throughput of the minimal server. */
const OVERLOAD = 1.3

interface Second {
  readonly p99Ms: number
  readonly memoryMb: number
}

interface Phase {
  readonly told: number
  readonly messages: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly closed: number
  /** Times that a reader had not taken what it was given, as the gateway counts them. */
  readonly slow: number
  readonly cpuPercent: number
  readonly bytesEach: number
  readonly seconds: readonly Second[]
}

export const fanout = experiment({
  name: 'fanout',
  summary:
    'Compares the throughput of the gateway with a minimal server; measures latency, also next to clients that stop reading.',
  options: {
    sockets: { description: 'number of sockets that read', default: 1_000, atLeast: 1 },
    rate: { description: 'frames per second on each socket, a multiple of 4', default: 40, atLeast: 4 },
    stopped: { description: 'number of additional sockets that stop reading', default: 200, atLeast: 0 },
    seconds: { description: 'duration in seconds, without and with stopped sockets', default: 30, atLeast: 2 },
    rounds: {
      description: 'number of rounds that alternate between gateway and minimal server',
      default: 3,
      atLeast: 1,
    },
    roundSeconds: { description: 'seconds of throughput per server and round', default: 8, atLeast: 1 },
    depth: { description: 'levels per side in each frame', default: 10, atLeast: 1 },
    delivered: { description: 'minimum share of published frames delivered, in %', default: 99, atLeast: 0 },
    ratio: { description: 'minimum throughput, gateway / minimal server', default: 0.8, atLeast: 0 },
    lagMs: { description: 'maximum p99 latency from sending to reading, in ms', default: 250, atLeast: 1 },
    stoppedFactor: {
      description: 'maximum factor by which stopped sockets may raise the p99 latency',
      default: 2,
      atLeast: 1,
    },
    growthMb: { description: 'maximum memory growth of the gateway caused by them, in MB', default: 200, atLeast: 1 },
    plot: { description: 'SVG file for the charts', default: 'out/fanout.svg' },
  },
  async run(settings, progress) {
    const { sockets, rate, stopped, seconds, rounds, roundSeconds, depth, plot } = settings
    await using bench = await FanoutBench.start(Math.max(1, Math.round(rate / TICKS_PER_SECOND)), progress)
    await using readers = await Readers.start()
    progress('opening accounts')
    const keys = await bench.keysFor(sockets)
    const stoppedKeys = await bench.keysFor(stopped)
    const { port } = bench.gateway
    const subscribe = subscription(bench, { depth })
    progress(`opening ${sockets} sockets`)
    await readers.open({ port, count: sockets, keys, subscribe, isStopped: false })

    const steady = await phase(bench, readers, seconds, (second) => progress(`steady, ${second} of ${seconds} s`))
    progress(`opening ${stopped} sockets that do not read`)
    const whole = subscription(bench, {})
    if (stopped > 0) await readers.open({ port, count: stopped, keys: stoppedKeys, subscribe: whole, isStopped: true })
    const beside = await phase(bench, readers, seconds, (second) =>
      progress(`stopped readers, ${second} of ${seconds} s`),
    )
    await readers.close()

    const throughputs = await compareThroughput(
      {
        bench,
        readers,
        sockets,
        keys,
        subscribe,
        rounds,
        seconds: roundSeconds,
        bytesEach: steady.bytesEach,
        levels: depth,
      },
      progress,
    )
    await mkdir(dirname(plot), { recursive: true })
    await writeFile(plot, draw(steady, beside, throughputs))

    const ratios = throughputs.map(({ ours, bare }) => ours.perSecond / bare.perSecond)
    const expected = sockets * Math.round(rate / TICKS_PER_SECOND) * TICKS_PER_SECOND
    const grownMb =
      peak(beside) -
      percentile(
        steady.seconds.map(({ memoryMb }) => memoryMb),
        0.5,
      )
    return {
      bounds: [
        bound('published frames delivered', shareOf(steady, sockets), '>=', settings.delivered, '%'),
        bound('latency, p99', steady.p99Ms, '<=', settings.lagMs, 'ms'),
        bound('latency next to stopped readers, p99', beside.p99Ms, '<=', settings.lagMs, 'ms'),
        bound(
          'p99 latency with stopped readers / without',
          hundredths(beside.p99Ms / steady.p99Ms),
          '<',
          settings.stoppedFactor,
        ),
        bound('slow readers counted by the gateway', beside.slow, '>=', stopped),
        bound('memory growth caused by stopped readers', grownMb, '<=', settings.growthMb, 'MB'),
        bound('active readers disconnected', steady.closed, '<=', 0),
        bound('throughput, gateway / minimal server', hundredths(percentile(ratios, 0.5)), '>=', settings.ratio),
      ],
      series: { steady: [steady], beside: [beside], throughputs, expectedPerSecond: [expected], plot: [plot] },
      notes: [
        `steady: ${Math.round(steady.messages / seconds)} frames/s of ${steady.bytesEach} bytes (${expected} expected), lag p50 ${steady.p50Ms} ms, p99 ${steady.p99Ms} ms, gateway ${steady.cpuPercent} % of a core, ${peak(steady)} MB`,
        `beside ${stopped} stopped: lag p50 ${beside.p50Ms} ms, p99 ${beside.p99Ms} ms, gateway ${beside.cpuPercent} % of a core, ${peak(beside)} MB, ${beside.slow} times too slow`,
        ...throughputs.map(
          ({ ours, bare }, round) =>
            `round ${round + 1}: gateway ${throughputText(ours)}, minimal server ${throughputText(bare)}`,
        ),
      ],
    }
  },
})

function subscription({ markets }: FanoutBench, options: Record<string, number>): string {
  const selectors = markets.map(({ id }) => ({ market: id }))
  return JSON.stringify({ id: 1, op: 'subscribe', selectors, channels: ['book'], options })
}

/** Runs at the steady rate and samples once a second. */
async function phase(
  { feed, gateway }: FanoutBench,
  readers: Readers,
  seconds: number,
  onSecond: (second: number) => void,
): Promise<Phase> {
  const slowBefore = await slowReaders(gateway)
  await feed.run({ ...STEADY_RATE, seconds: WARM_UP_S })
  await sleep(SETTLE_MS)
  await readers.count()
  const fromMs = performance.now()
  const used = cpuMeter(gateway.pid)
  const counts: Counted[] = []
  const looks: Second[] = []
  const look = async (): Promise<void> => {
    const counted = await readers.count()
    counts.push(counted)
    looks.push({ p99Ms: lagAt([counted], 0.99), memoryMb: memoryMbOf(gateway.pid) })
    onSecond(looks.length)
  }
  const feeding = feed.run({ ...STEADY_RATE, seconds })
  for (let second = 1; second <= seconds; second++) {
    await sleep(Math.max(0, fromMs + second * 1_000 - performance.now()))
    await look()
  }
  const told = await feeding
  const cpuPercent = used()
  await sleep(SETTLE_MS)
  await look()
  const messages = sum(counts.map((each) => each.messages))
  const bytesEach = Math.round(sum(counts.map((each) => each.bytes)) / Math.max(1, messages))
  const closed = sum(counts.map((each) => each.closed))
  const slow = (await slowReaders(gateway)) - slowBefore
  const lags = { p50Ms: lagAt(counts, 0.5), p99Ms: lagAt(counts, 0.99) }
  return { told, messages, ...lags, closed, slow, cpuPercent, bytesEach, seconds: looks }
}

async function slowReaders(gateway: FanoutBench['gateway']): Promise<number> {
  return (await gateway.metric('gateway_slow_total')) ?? Number.NaN
}

interface ThroughputRun {
  readonly bench: FanoutBench
  readonly readers: Readers
  readonly sockets: number
  readonly keys: readonly string[]
  readonly subscribe: string
  readonly rounds: number
  readonly seconds: number
  readonly bytesEach: number
  /** No more than are sent, so that making rows takes little CPU from the server. */
  readonly levels: number
}

interface Throughput {
  readonly perSecond: number
  /** CPU use of the server; well below 100 means that the server was not the bottleneck. */
  readonly cpuPercent: number
}

interface Throughputs {
  readonly ours: Throughput
  readonly bare: Throughput
}

/** Measures maximum throughput: first of the minimal server, then of the gateway at a higher published rate. */
async function compareThroughput(run: ThroughputRun, progress: Progress): Promise<Throughputs[]> {
  const { bench, readers, sockets, keys, subscribe, rounds, seconds, bytesEach, levels } = run
  const done: Throughputs[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`throughput, round ${round} of ${rounds}`)
    const bare = await bareThroughput(readers, { sockets, seconds, bytesEach })
    await readers.open({ port: bench.gateway.port, count: sockets, keys, subscribe, isStopped: false })
    const ticksPerSecond = (OVERLOAD * bare.perSecond) / sockets / bench.markets.length
    const feeding = bench.feed.run({ ticksPerSecond, seconds: seconds + 1, levels })
    const ours = await throughputOf(readers, bench.gateway.pid, seconds)
    await feeding
    await sleep(SETTLE_MS)
    await readers.close()
    done.push({ ours, bare })
  }
  return done
}

async function bareThroughput(
  readers: Readers,
  { sockets, seconds, bytesEach }: Pick<ThroughputRun, 'sockets' | 'seconds' | 'bytesEach'>,
): Promise<Throughput> {
  await using bare = await BareFanout.start(bytesEach, sockets)
  await readers.open({ port: bare.port, count: sockets, keys: ['-'], subscribe: '', isStopped: false })
  const measured = await throughputOf(readers, bare.pid, seconds)
  await readers.close()
  return measured
}

async function throughputOf(readers: Readers, pid: number, seconds: number): Promise<Throughput> {
  await sleep(1_000)
  await readers.count()
  const used = cpuMeter(pid)
  await sleep(seconds * 1_000)
  const cpuPercent = used()
  const counted = await readers.count()
  return { perSecond: Math.round(counted.messages / counted.seconds), cpuPercent }
}

function draw(steady: Phase, beside: Phase, throughputs: readonly Throughputs[]): string {
  const lines = (figure: (second: Second) => number) => [
    { name: 'steady', values: steady.seconds.map(figure) },
    { name: 'beside', values: beside.seconds.map(figure) },
  ]
  return drawCharts([
    { title: 'lag, without and beside stopped readers', unit: 'ms, p99', lines: lines(({ p99Ms }) => p99Ms) },
    { title: 'memory of the gateway', unit: 'MB', lines: lines(({ memoryMb }) => memoryMb) },
    {
      title: 'throughput, by round',
      step: 'round',
      unit: 'frames per second',
      lines: [
        { name: 'ours', values: throughputs.map(({ ours }) => ours.perSecond) },
        { name: 'bare', values: throughputs.map(({ bare }) => bare.perSecond) },
      ],
    },
  ])
}

function throughputText({ perSecond, cpuPercent }: Throughput): string {
  return `${perSecond}/s with ${cpuPercent} % of a core`
}

/** In percent. */
function shareOf({ told, messages }: Phase, sockets: number): number {
  return hundredths((100 * messages) / (told * sockets))
}

function peak({ seconds }: Phase): number {
  return Math.max(...seconds.map(({ memoryMb }) => memoryMb))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

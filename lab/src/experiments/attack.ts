import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { allGenerators } from '../attack/all-generators.ts'
import { AttackBench } from '../attack/attack-bench.ts'
import { attackBounds } from '../attack/attack-bounds.ts'
import { measurePhase, type Phase } from '../attack/attack-phase.ts'
import { HonestCustomers } from '../attack/honest-customers.ts'
import { NetworkNamespace } from '../attack/network-namespace.ts'
import { runGenerators } from '../attack/run-generators.ts'
import type { Scene } from '../attack/scene.ts'
import { Sink } from '../attack/sink.ts'
import type { Told } from '../attack/tally.ts'
import { bound } from '../bound.ts'
import { experiment } from '../experiment.ts'
import { drawCharts } from '../line-chart.ts'

const LOOPBACK = '127.0.0.1'
const EVERYWHERE = '0.0.0.0'
/** What the attackers in a network namespace do; without one they do it from loopback addresses. */
const FROM_OUTSIDE = ['half-open', 'upgrade-flood']

const KEYED = new Set(allGenerators.flatMap(({ name, isKeyed }) => (isKeyed ? [name] : [])))

export const attack = experiment({
  name: 'attack',
  summary:
    'Attacks the service in every way that a stranger or a cheap key can, and measures whether honest customers notice.',
  options: {
    seconds: { description: 'duration of the attack in seconds', default: 300, atLeast: 3 },
    sinkSeconds: { description: 'seconds of the same attack against a bare server', default: 60, atLeast: 3 },
    load: { description: 'factor on the rates and connections of the attack', default: 1, atLeast: 0.01 },
    markets: { description: 'number of simulated markets recorded during the run', default: 60, atLeast: 20 },
    slots: { description: 'recorded slots of each market that can be downloaded', default: 2_400, atLeast: 100 },
    only: { description: 'generators to run, separated by commas', default: 'all' },
    ratio: { description: 'maximum p99 of live books, attack / bare server', default: 2, atLeast: 1 },
    refused: { description: 'maximum number of requests of honest customers refused', default: 0, atLeast: 0 },
    patience: { description: 'factor on the times that a connection may last', default: 1, atLeast: 1 },
    growthMb: { description: 'maximum memory growth of the API, in MB', default: 300, atLeast: 1 },
    loopMs: { description: 'maximum p99.9 of the event-loop delay of the API, in ms', default: 200, atLeast: 1 },
    plot: { description: 'SVG file for the charts', default: 'out/attack.svg' },
  },
  async run({ seconds, sinkSeconds, load, patience, markets, slots, only, plot, ...limits }, progress) {
    const names = chosen(only)
    await using parts = new AsyncDisposableStack()
    const outside = NetworkNamespace.isPossible() ? parts.use(await NetworkNamespace.make()) : undefined
    const host = outside === undefined ? LOOPBACK : EVERYWHERE
    const bench = parts.use(await AttackBench.start({ markets, slots, host }, progress))
    const sink = parts.use(await Sink.start(host))
    const { api } = bench
    const customers = parts.use(new HonestCustomers(bench.honestPlace(api)))
    progress('waiting for the streams of the customers')
    await customers.untilStreaming()

    const run = (scene: Scene): Promise<Record<string, Told>> => attackFrom(names, scene, outside)
    const quiet = await measurePhase(
      api,
      customers,
      run(bench.scene({ port: sink.port, seconds: sinkSeconds, load, patience })),
      (second) => progress(`generators against the bare server, ${second} of ${sinkSeconds} s`),
    )
    const scene = bench.scene({ port: api.port, seconds, load, patience })
    const attacked = await measurePhase(api, customers, run(scene), (second) =>
      progress(`attack, ${second} of ${seconds} s`),
    )
    const isReady = await bench.service.client.isAnswered(api.port, '/health/ready')
    await mkdir(dirname(plot), { recursive: true })
    await writeFile(plot, draw(quiet, attacked))
    return {
      bounds: [
        ...attackBounds(quiet, attacked, scene, limits),
        bound('the same API is ready after the attack (1 = yes)', isReady ? 1 : 0, '=', 1),
      ],
      series: { quiet: [quiet], attacked: [attacked], outside: [outside !== undefined], plot: [plot] },
      notes: [
        noteOf('bare server attacked', quiet),
        noteOf('service attacked', attacked),
        outside === undefined
          ? 'no network namespace: it needs root rights'
          : `from a network namespace: ${FROM_OUTSIDE.join(', ')}`,
        ...Object.entries(attacked.told).map(
          ([name, { counts, longestMs, mostOpen }]) =>
            `  ${name.padEnd(18)} ${JSON.stringify(counts)}${mostOpen > 0 ? `, at most ${mostOpen} open, longest ${longestMs} ms` : ''}`,
        ),
      ],
    }
  },
})

function chosen(only: string): string[] {
  const known = allGenerators.map(({ name }) => name)
  const names = only === 'all' ? known : only.split(',')
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`there is no generator ${unknown.join(', ')}; use ${known.join(', ')}`)
  return names
}

async function attackFrom(
  names: readonly string[],
  scene: Scene,
  outside: NetworkNamespace | undefined,
): Promise<Record<string, Told>> {
  const far = outside === undefined ? [] : names.filter((name) => FROM_OUTSIDE.includes(name))
  const near = names.filter((name) => !far.includes(name))
  // Those that receive most must not delay the others in reading and measuring.
  const byProcess = Map.groupBy(near, (name) => (KEYED.has(name) ? name : 'anonymous'))
  const told = await Promise.all([
    ...[...byProcess.values()].map((each) => runGenerators({ names: each, scene })),
    outside === undefined || far.length === 0
      ? {}
      : runGenerators({ names: far, scene: { ...scene, host: outside.outside, addresses: [] } }, outside.within),
  ])
  return Object.assign({}, ...told)
}

function noteOf(name: string, { honest, loopDelay, memoryMb }: Phase): string {
  const { requests, p50Ms, p99Ms, refused, dropped, frames, retried } = honest
  const loop = `event loop p99.9 ${Math.round(loopDelay.p999Ms)} ms, at most ${Math.round(loopDelay.maxMs)} ms`
  return `${name}: ${requests} live books, p50 ${p50Ms} ms, p99 ${p99Ms} ms, refused ${JSON.stringify(refused)}, ${retried} retried, ${dropped} streams dropped, ${frames} frames; ${loop}; memory ${memoryMb[0]} to ${Math.max(...memoryMb)} MB`
}

function draw(quiet: Phase, attacked: Phase): string {
  const lines = (figure: (phase: Phase) => readonly number[]) => [
    { name: 'bare', values: figure(quiet) },
    { name: 'service', values: figure(attacked) },
  ]
  return drawCharts([
    { title: 'live book of honest customers', unit: 'ms, p99', lines: lines(({ honest }) => honest.p99MsBySecond) },
    { title: 'memory of the API', unit: 'MB', lines: lines(({ memoryMb }) => memoryMb) },
  ])
}
